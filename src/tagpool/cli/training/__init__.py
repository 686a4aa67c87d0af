"""What ``tagpool train`` is made of: what its options mean, the learners they ask for, and a training that is followed."""
