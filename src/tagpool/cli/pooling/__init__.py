"""What the commands of ``tagpool pool`` share."""
