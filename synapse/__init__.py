"""synapse: memory you can prove."""
