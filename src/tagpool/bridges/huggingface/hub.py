"""Models in the layout of the hub: a folder with the model file, ``config.json`` and a model card, ``README.md``."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tagpool
from tagpool.bridges.huggingface.card import model_card
from tagpool.bridges.huggingface.library import require
from tagpool.corpus.files import check_path, write_text
from tagpool.errors import InputError, OutputError, TagpoolError, check_type
from tagpool.experts.sequence_tagger import SequenceTagger
from tagpool.pools.loading import load

MODEL_FILE, CONFIG_FILE, CARD_FILE = "model.tagpool", "config.json", "README.md"


def save_pretrained(model: SequenceTagger, folder: str | Path, *, card: Mapping[str, Any] | None = None) -> None:
    """Write a model to a folder in the layout of the hub. Nothing is sent.

    Args:
        model: A fitted tagger or pool.
        folder: The folder, which is created. A model card in it is kept; the other files are replaced.
        card: Further metadata of the model card, such as ``{"license": "mit", "language": "en", "datasets": ["conll2003"]}``.

    >>> import tempfile
    >>> from tagpool import CRF, Corpus
    >>> folder = tempfile.mkdtemp()
    >>> save_pretrained(CRF("word[0]").fit(Corpus.from_lists(word=[["Ann", "left"]], label=[["B-PER", "O"]])), folder)
    >>> sorted(path.name for path in Path(folder).iterdir())
    ['README.md', 'config.json', 'model.tagpool']
    """
    check_type(model, SequenceTagger, "a fitted tagger or pool")
    check_path(folder)
    folder = Path(folder)
    labels = list(model.labels_)
    config = {
        "library_name": "tagpool",
        "tagpool_version": tagpool.__version__,
        "model_type": model.kind,
        "columns": list(model.columns),
        "id2label": {str(number): label for number, label in enumerate(labels)},
        "label2id": {label: number for number, label in enumerate(labels)},
    }
    text = model_card(model, MODEL_FILE, card or {})
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{folder}: the folder is not created: {error.strerror}") from None
    model.save(folder / MODEL_FILE)
    write_text(folder / CONFIG_FILE, json.dumps(config, ensure_ascii=False, indent=2) + "\n")
    if not (folder / CARD_FILE).exists():
        write_text(folder / CARD_FILE, text)


def from_pretrained(name_or_folder: str | Path, **options: Any) -> Any:
    """Load a tagger or pool from a folder, or from the hub.

    Args:
        name_or_folder: A folder that :func:`save_pretrained` has written, a model file, or the name of a repository on the hub,
            such as ``"user/ner"``. An existing folder has priority, and needs no library and no network.
        options: For the hub: ``revision``, ``token``, ``cache_dir``, ``local_files_only`` and others of
            ``huggingface_hub.hf_hub_download``.

    A model executes no code, and opens no other file (see :func:`tagpool.load`).
    """
    check_path(name_or_folder)
    if str(name_or_folder) and Path(name_or_folder).is_dir():
        path = Path(name_or_folder) / MODEL_FILE
        if not path.is_file():
            raise InputError(f"the folder has no file {MODEL_FILE}", source=name_or_folder)
        return load(path)
    if Path(name_or_folder).is_file():
        return load(name_or_folder)
    name = str(name_or_folder)
    if name.count("/") != 1 or name.startswith(("/", ".")):
        raise InputError(
            "expected a folder, or a repository of the hub such as user/ner; there is no such folder", source=name or "''"
        )
    hub = require("huggingface_hub", "from_pretrained with a repository")
    with _Named("the hub has no such model, or is not reached", name, InputError):
        path = Path(hub.hf_hub_download(name, MODEL_FILE, **options))
    return load(path)


def push_to_hub(
    model: SequenceTagger,
    repo_id: str,
    *,
    private: bool | None = None,
    token: str | None = None,
    revision: str | None = None,
    commit_message: str = "Upload the model",
    card: Mapping[str, Any] | None = None,
) -> str:
    """Send a model to a repository of the hub, which is created if it does not exist. Return the address of the commit.

    Args:
        model: A fitted tagger or pool.
        repo_id: Name of the repository, such as ``"user/ner"``.
        private: Whether a new repository is private (default: the setting of the user or organisation).
        token: Access token (default: the one of ``hf auth login``).
        revision: Branch (default: main).
        commit_message: Message of the commit.
        card: Further metadata of the model card, as in :func:`save_pretrained`. A model card in the repository is replaced.
    """
    check_type(repo_id, str, "the name of a repository, such as 'user/ner'")
    hub = require("huggingface_hub", "push_to_hub")
    with tempfile.TemporaryDirectory() as folder:
        save_pretrained(model, folder, card=card)
        with _Named("the hub did not take the model", repo_id, OutputError):
            api = hub.HfApi(token=token)
            api.create_repo(repo_id, private=private, exist_ok=True)
            commit = api.upload_folder(repo_id=repo_id, folder_path=folder, commit_message=commit_message, revision=revision)
    return str(commit.commit_url)


class _Named:
    """Context manager that raises errors of the library, of which there are many classes, as one of tagpool."""

    def __init__(self, what: str, name: str, kind: type[TagpoolError]) -> None:
        self.what, self.name, self.kind = what, name, kind

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, Exception) and not isinstance(error, MemoryError):
            reason = (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
            raise self.kind(f"{self.name}: {self.what}: {reason}") from None
