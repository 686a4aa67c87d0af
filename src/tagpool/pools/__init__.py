"""The council: pools of taggers that decide together."""
