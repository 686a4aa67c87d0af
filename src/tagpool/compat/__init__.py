"""For those who come from other tools: their modules and their files, by tagpool. Nothing else here needs it."""
