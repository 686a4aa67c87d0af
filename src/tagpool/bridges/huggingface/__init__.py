"""Hugging Face: data sets, pipelines as experts, and models on the hub (``tagpool[hf]``)."""

from tagpool.bridges.huggingface.data_sets import from_dataset as from_dataset
from tagpool.bridges.huggingface.data_sets import to_dataset as to_dataset
from tagpool.bridges.huggingface.hub import from_pretrained as from_pretrained
from tagpool.bridges.huggingface.hub import push_to_hub as push_to_hub
from tagpool.bridges.huggingface.hub import save_pretrained as save_pretrained
from tagpool.bridges.huggingface.outputs import from_gliner as from_gliner
from tagpool.bridges.huggingface.outputs import from_pipeline as from_pipeline
