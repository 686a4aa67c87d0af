from tagpool.compat.sklearn_crfsuite import metrics as metrics
from tagpool.compat.sklearn_crfsuite import scorers as scorers
from tagpool.compat.sklearn_crfsuite.estimator import CRF as CRF
from tagpool.compat.sklearn_crfsuite.pickles import load as load
