"""Audits of taggers, also of those that are not tagpool's: labellers, and the drift of new text."""
