"""Vote pools: label sequences of black-box taggers, combined with learned weights."""
