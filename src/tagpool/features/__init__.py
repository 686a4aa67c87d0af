"""Feature templates, their resources, and the encoder that turns a corpus into feature ids."""
