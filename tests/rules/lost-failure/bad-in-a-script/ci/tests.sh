#!/bin/bash -e
cd tests
pytest engine
echo done
