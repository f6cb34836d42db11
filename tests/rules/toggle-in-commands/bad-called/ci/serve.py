import os

print(os.environ.get("USE_V2", "1"))
