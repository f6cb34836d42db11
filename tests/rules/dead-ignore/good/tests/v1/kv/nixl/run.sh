pytest tests/v1/kv/nixl
