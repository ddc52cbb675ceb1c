"""What agents can ask of the system, by the Model Context Protocol."""
