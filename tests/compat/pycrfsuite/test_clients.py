"""Programs made for python-crfsuite, as they are installed, with the import redirected."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

REDIRECTED = "import sys\nfrom tagpool.compat import pycrfsuite\nsys.modules['pycrfsuite'] = pycrfsuite\n"


def run(code: str, *arguments: str, redirected: bool) -> Any:
    """Run a program in its own process (imports are permanent) and parse the JSON that it prints."""
    script = (REDIRECTED if redirected else "") + textwrap.dedent(code)
    # nltk writes files only where its data are.
    environment = os.environ | {"NLTK_DATA": str(Path(arguments[0]).parent)} if arguments else None
    command = [sys.executable, "-c", script, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


USADDRESS = """
    import json, random, sys
    import usaddress
    addresses = [
        "123 Main St. Suite 100 Chicago, IL",
        "Robie House, 5757 South Woodlawn Avenue, Chicago, IL 60637",
        "State & Lake, Chicago",
    ]
    pick = random.Random(7).choice
    streets = ["Main", "Oak Park", "Martin Luther King", "1st", "N 23rd", "County Road 4", "Elm Hill", "Calle Ocho"]
    for number in range(500):
        parts = [str(pick(range(1, 20000))), pick(["", "N", "South", "E."]), pick(streets)]
        parts += [pick(["St", "Ave.", "Boulevard", "", "Pkwy"]), pick(["", "Apt 4B", "Suite 100", "#12", "Box 55", "Floor 3"])]
        parts += [pick(["Chicago,", "St. Paul", "New York", "Oxford,"]), pick(["IL", "MN", "NY 10001", "Mississippi 38655", ""])]
        addresses.append(" ".join(part for part in parts if part))
    print(json.dumps([usaddress.parse(address) for address in addresses]))
"""


def test_usaddress_parses_the_same() -> None:
    ours = run(USADDRESS, redirected=True)
    assert len(ours) == 503
    assert ours == run(USADDRESS, redirected=False)
    assert [label for _, label in ours[0]][:3] == ["AddressNumber", "StreetName", "StreetNamePostType"]


NLTK = """
    import json, sys
    from nltk.tag import CRFTagger
    data = [
        [("University", "Noun"), ("is", "Verb"), ("a", "Det"), ("good", "Adj"), ("place", "Noun")],
        [("dogs", "Noun"), ("eat", "Verb"), ("meat", "Noun")],
        [("a", "Det"), ("Dog", "Noun"), ("is", "Verb"), ("good", "Adj")],
    ]
    model = sys.argv[1]
    tagger = CRFTagger(training_opt={"feature.minfreq": 0, "max_iterations": 100, "epsilon": 1e-7, "delta": 1e-10})
    tagger.train(data, model)
    again = CRFTagger()
    again.set_model_file(model)
    gold = [[("dog", "Noun"), ("is", "Verb"), ("good", "Adj")], [("Cat", "Noun"), ("eat", "Verb"), ("meat", "Noun")]]
    results = [tagger.tag_sents([["dog", "is", "good"]]), again.tag_sents([["Cat", "eats", "a", "Dog"]]), again.accuracy(gold)]
    print(json.dumps(results))
"""


def test_nltk_trains_and_tags(tmp_path: Path) -> None:
    ours = run(NLTK, str(tmp_path / "ours"), redirected=True)
    assert ours == run(NLTK, str(tmp_path / "theirs"), redirected=False)
    assert ours[0] == [[["dog", "Noun"], ["is", "Verb"], ["good", "Adj"]]]


PARSERATOR = """
    import json, sys
    import pycrfsuite

    def token_features(token):
        return {
            "lower": token.lower(), "digits": "all" if token.isdigit() else "none", "length": f"w:{len(token)}",
            "trailing.zeros": False, "endings": {"last": [token[-1:], token[-2:]]}, "title": token.istitle(),
        }

    def features(tokens):
        plain = [token_features(token) for token in tokens]
        out = [dict(item) for item in plain]
        for number, item in enumerate(out):
            if number:
                item["previous"] = plain[number - 1]
            if number + 1 < len(out):
                item["next"] = plain[number + 1]
        out[0]["rawstring.start"] = out[-1]["rawstring.end"] = True
        return out

    data = [
        (["12", "Main", "Street"], ["number", "name", "type"]),
        (["7", "Old", "Oak", "Road"], ["number", "name", "name", "type"]),
        (["Main", "Square"], ["name", "type"]),
    ]
    trainer = pycrfsuite.Trainer(verbose=False, params={"c1": 0.1, "c2": 0.01, "epsilon": 1e-6, "delta": 1e-9})
    for tokens, labels in data:
        trainer.append(pycrfsuite.ItemSequence(features(tokens)), labels)
    trainer.train(sys.argv[1])
    tagger = pycrfsuite.Tagger()
    tagger.open(sys.argv[1])
    print(json.dumps([tagger.tag(features(tokens)) for tokens in (["9", "Oak", "Street"], ["Elm", "Road"], ["Old", "Main"])]))
"""


def test_nested_dicts_as_parserator_has_them(tmp_path: Path) -> None:
    ours = run(PARSERATOR, str(tmp_path / "ours"), redirected=True)
    assert ours == run(PARSERATOR, str(tmp_path / "theirs"), redirected=False)
    assert ours[0] == ["number", "name", "type"]


def test_sklearn_crfsuite_itself_runs_on_the_drop_in() -> None:
    code = """
        import json
        import sklearn_crfsuite
        crf = sklearn_crfsuite.CRF(algorithm="lbfgs", c1=0.1, c2=0.1, max_iterations=20)
        crf.fit([[{"w": "the"}, {"w": "dog"}]] * 3, [["D", "N"]] * 3)
        marginals = crf.predict_marginals_single([{"w": "the"}, {"w": "cat"}])
        print(json.dumps([list(map(str, crf.predict([[{"w": "the"}, {"w": "cat"}]])[0])), crf.classes_, marginals]))
    """
    labels, classes, marginals = run(code, redirected=True)
    assert (labels, classes) == (["D", "N"], ["D", "N"])
    assert [sum(item.values()) for item in marginals] == pytest.approx([1.0, 1.0])
    assert marginals[0]["D"] > 0.5
