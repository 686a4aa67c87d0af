"""StackedPool: a CRF whose features are the labels of experts and the words."""
