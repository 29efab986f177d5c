"""Who does the work: threads of this process, or the workers of a cluster."""
