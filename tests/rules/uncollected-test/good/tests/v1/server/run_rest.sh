set -e
cd tests/v1/server
for api in chat completion; do
  pytest -v "test_$api.py"
done
