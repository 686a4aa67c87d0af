"""Path experts: pools of black boxes, learned from their label sequences alone (Cortes, Kuznetsov and Mohri 2014)."""
