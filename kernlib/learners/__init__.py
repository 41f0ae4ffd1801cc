"""The learners: one file per algorithm, its compiled loop right above its class."""
