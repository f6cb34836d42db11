export USE_V2="${USE_V2:-0}"
