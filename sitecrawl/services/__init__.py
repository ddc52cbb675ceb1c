"""What a person can ask of the system: the commands, the library and other callers use these."""
