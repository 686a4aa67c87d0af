"""Bridges to other systems: their libraries are extras, which are imported only there."""
