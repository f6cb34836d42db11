"""What people and machines see of a run."""
