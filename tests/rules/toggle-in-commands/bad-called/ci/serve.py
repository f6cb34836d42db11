import os

VALUE = os.environ.get("USE_V2", "1")
