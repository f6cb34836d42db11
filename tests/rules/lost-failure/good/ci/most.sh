#!/bin/bash -e
pytest engine/test_f.py
echo done
