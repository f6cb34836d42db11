docker run -e USE_V2="$USE_V2" image bash -c "$1"
