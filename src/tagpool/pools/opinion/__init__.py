"""OpinionPool: a product of fitted taggers."""
