serve --v2="${USE_V2}"
