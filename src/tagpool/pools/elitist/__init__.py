"""ElitistPool: members that are trained together."""
