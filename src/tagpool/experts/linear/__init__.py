"""Linear experts: CRF and MaxEnt."""
