"""Drop-in replacements for python-crfsuite and sklearn-crfsuite; model files of CRFsuite, Wapiti and CRF++."""
