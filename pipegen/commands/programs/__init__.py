"""The programs that commands call, and what is known of them."""
