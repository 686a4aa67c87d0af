"""Training with a memory budget: encoded sentences are on disk and streamed in every epoch."""
