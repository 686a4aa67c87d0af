"""Models and patterns of Wapiti and CRF++."""
