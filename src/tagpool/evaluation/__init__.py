"""The scales: conlleval-exact scores, breakdowns, intervals and significance."""
