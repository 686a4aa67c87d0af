"""The kitchen: templates, the resources they use, and the encoder that turns a corpus into feature ids."""
