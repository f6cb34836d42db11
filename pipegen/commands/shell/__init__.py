"""Shell text to its syntax."""
