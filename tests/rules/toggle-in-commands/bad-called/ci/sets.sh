export USE_V2=0
