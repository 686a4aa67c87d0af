"""Models in folders and on the hub: files, model cards, and a server that the real library talks to."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import yaml
from bridges.huggingface.hub_server import COMMIT, Handler, serve

from tagpool import CRF, BaggingPool, InputError, builtin_corpus, from_pretrained, save_pretrained

pytest.importorskip("huggingface_hub")
CORPUS = builtin_corpus(30)


@pytest.fixture(scope="module")
def crf() -> CRF:
    return CRF("word[0]").fit(CORPUS)


def test_a_folder_comes_back(crf: CRF, tmp_path: Path) -> None:
    folder = tmp_path / "models" / "ner"
    save_pretrained(crf, folder, card={"license": "mit", "language": ["en"], "tags": ['names: "all"']})
    assert from_pretrained(folder).predict(CORPUS) == from_pretrained(str(folder)).predict(CORPUS) == crf.predict(CORPUS)
    config = json.loads((folder / "config.json").read_text())
    assert (config["model_type"], config["columns"]) == ("crf", ["word"])
    assert [config["id2label"][str(number)] for number in range(len(crf.labels_))] == list(crf.labels_)
    _, header, text = (folder / "README.md").read_text().split("---\n", 2)
    assert yaml.safe_load(header) == {
        "library_name": "tagpool",
        "pipeline_tag": "token-classification",
        "tags": ['names: "all"'],
        "license": "mit",
        "language": ["en"],
    }
    assert "- Types: `LOC`, `MISC`, `ORG`, `PER`\n" in text
    assert "- Templates: `word[0]`\n" in text


def test_a_model_card_is_kept_and_a_pool_has_members(tmp_path: Path) -> None:
    pool = BaggingPool(CRF("word[-1..1]\n[a]\nshape(word)[0]\n[b]\nsuffix(word, 2)[0]")).fit(CORPUS)
    (tmp_path / "README.md").write_text("my card")
    save_pretrained(pool, tmp_path)
    assert (tmp_path / "README.md").read_text() == "my card"
    assert from_pretrained(tmp_path).predict(CORPUS) == pool.predict(CORPUS)
    (tmp_path / "README.md").unlink()
    save_pretrained(pool, tmp_path)
    assert "- Members: 2 taggers" in (tmp_path / "README.md").read_text()


def test_no_library_is_needed_for_a_folder(crf: CRF, tmp_path: Path) -> None:
    save_pretrained(crf, tmp_path)
    code = f"import sys, tagpool; tagpool.from_pretrained({str(tmp_path)!r}); print('huggingface_hub' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


SEND = """
import tagpool
crf = tagpool.load("ner.tagpool")
print(tagpool.push_to_hub(crf, "me/ner", token="hf_x", card={"license": "mit"}))
again = tagpool.from_pretrained("me/ner", cache_dir="cache")
corpus = tagpool.builtin_corpus(30)
print(again.predict(corpus) == crf.predict(corpus))
print(tagpool.from_pretrained("me/ner", cache_dir="cache", local_files_only=True).predict(corpus) == crf.predict(corpus))
try:
    tagpool.from_pretrained("me/other-revision", cache_dir="other", local_files_only=True)
except tagpool.InputError as error:
    print(str(error).split(":")[:2])
"""


def test_a_model_is_sent_and_loaded(crf: CRF, tmp_path: Path) -> None:
    crf.save(tmp_path / "ner.tagpool")
    server = serve()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        address = f"http://127.0.0.1:{server.server_address[1]}"
        environment = {**os.environ, "HF_ENDPOINT": address, "HF_HUB_DISABLE_XET": "1", "HF_HOME": str(tmp_path / "home")}
        for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "HF_HUB_OFFLINE"):
            environment.pop(name, None)
        command = [sys.executable, "-c", SEND]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    finally:
        server.shutdown()
        server.server_close()
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        f"{address}/me/ner/commit/{COMMIT}",
        "True",
        "True",
        "['me/other-revision', ' the hub has no such model, or is not reached']",
    ]
    assert sorted(Handler.files) == ["README.md", "config.json", "model.tagpool"]
    assert b'license: "mit"' in Handler.files["README.md"]


@pytest.mark.parametrize("name", ["nowhere", "/no/such/folder", "./a/b", "a/b/c"])
def test_other_names_are_refused_without_the_network(name: str) -> None:
    with pytest.raises(InputError, match="there is no such folder"):
        from_pretrained(name)


def test_refusals(crf: CRF, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"the folder has no file model\.tagpool"):
        from_pretrained(tmp_path)
    for card in ({"a b": 1}, {"license": {1, 2}}, {"x": float("nan")}):
        with pytest.raises(InputError, match="card: "):
            save_pretrained(crf, tmp_path / "new", card=card)  # type: ignore[arg-type]
    assert not (tmp_path / "new").exists()
