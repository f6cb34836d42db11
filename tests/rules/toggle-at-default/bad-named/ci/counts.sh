if (( USE_V2 )); then echo on; fi
