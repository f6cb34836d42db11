"""Programs that try or measure pipegen for longer than a test may take."""
