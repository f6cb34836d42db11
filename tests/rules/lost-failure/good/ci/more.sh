pytest engine/test_e.py
echo done
