"""Random templates, corpora and resources for the tests of the encoder and the parser."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from oracles.encoder import is_settled

from tagpool.features.embeddings import Embeddings
from tagpool.features.functions import FUNCTIONS
from tagpool.features.resources import AmbiguityClasses, Clusters, Gazetteer
from tagpool.features.template import Call, Field, Range, Template, TemplateSet, Term

COLUMNS = ("word", "pos", "score")
_WORDS = """
    the The THE a A I U.S. U.S Mr. New York new york NEW City McDonald eBay iPhone 1999 1,000.5 -3 10:30 5% 3rd B-52 ... . .. - --
    ' " `` http://a.b www.x || a|b \\ \\| = a=b _B-1 _B+1 <> <a >
    ǅ ǆ ß İ ı é É straße ΑΣ σς 中文 東京 ٣٤ ۱ 𝐀 𝟘 😀 👩‍👧 ﬁ x̂y ² Ⅷ ª ʰ
"""
WORDS = (*_WORDS.split(), "", "E\u0301", "a\u00a0b")
NUMBERS = ("0", "1", "-1", "0.5", "2e3", "-0.0", "1e-50", "3.25", "1e-3", "7")

settled = st.characters(exclude_categories=["Cs", "Cn"]).filter(is_settled)
words = st.one_of(
    st.sampled_from(WORDS),
    st.sampled_from(["a", "b", "A", "B", "ab", "1"]),
    st.text(settled, max_size=6),
    st.text("aAbB1.-|\\é", min_size=1, max_size=8),
)


@st.composite
def corpora(draw: st.DrawFn, *, sentences: int = 4, tokens: int = 6) -> list[dict[str, list[str]]]:
    """Sentences as dicts of columns."""
    pool = draw(st.lists(words, min_size=1, max_size=8))
    out = []
    for _ in range(draw(st.integers(1, sentences))):
        length = draw(st.integers(1, tokens))
        column = lambda of: draw(st.lists(st.sampled_from(of), min_size=length, max_size=length))  # noqa: B023, E731
        out.append({"word": column(pool), "pos": column(["NN", "VB", "|", "nn"]), "score": column(NUMBERS)})
    return out


@st.composite
def plain_resources(draw: st.DrawFn, pool: list[str]) -> dict[str, Any]:
    """Resources as plain dicts, about words that occur."""
    one = st.sampled_from([*pool, "a", "b"])
    phrase = st.lists(one, min_size=1, max_size=3).map(" ".join)
    lists = st.dictionaries(st.sampled_from(["cities", "names", "x/B", "a|b"]), st.lists(phrase, max_size=6), min_size=1)
    gazetteer = lists.filter(lambda found: any(text.strip() for texts in found.values() for text in texts))
    return {
        "lists": draw(gazetteer),
        "others": draw(gazetteer),
        "brown": draw(st.dictionaries(one, st.text("01", min_size=1, max_size=8), min_size=1)),
        "classes": draw(st.dictionaries(one, st.sampled_from(["NN", "NN_VB", "VB|", "é_ü"]), min_size=1)),
        "glove": draw(st.dictionaries(one, st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=1)),
    }


def loaded(plain: dict[str, Any], templates: TemplateSet) -> dict[str, Any]:
    """Resources that the templates use, as objects of tagpool."""
    make = {
        "lists": Gazetteer,
        "others": Gazetteer,
        "brown": Clusters,
        "classes": AmbiguityClasses,
        "glove": lambda vectors: Embeddings(list(vectors), list(vectors.values())),
    }
    return {name: make[name](plain[name]) for name in templates.resources}


def ranges(low: int, high: int) -> st.SearchStrategy[Range]:
    return st.tuples(st.integers(low, high), st.integers(low, high)).map(lambda pair: Range(min(pair), max(pair)))


@st.composite
def offsets(draw: st.DrawFn, low: int = -3, high: int = 3) -> tuple[Range, ...]:
    """One or two ranges that do not overlap."""
    first = draw(ranges(low, high))
    if first.high < high and draw(st.booleans()):
        second = draw(ranges(first.high + 1, high))
        return draw(st.permutations((first, second)).map(tuple))
    return (first,)


fields = st.sampled_from([Field("word"), Field("word"), Field("pos")])
lengths = st.lists(ranges(1, 5), min_size=1, max_size=2).map(tuple)


def _over(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Call]:
    """The functions with at most one value, over others of the kind."""
    return st.one_of(
        st.builds(Call, st.sampled_from(["lower", "simplify", "shape", "digits"]), inner),
        st.builds(Call, st.just("shape"), inner, flag=st.just("short")),
        st.builds(Call, st.sampled_from(["prefix", "suffix"]), inner, numbers=lengths),
        st.builds(Call, st.just("cluster"), inner, st.just("brown"), st.one_of(st.just(()), lengths)),
        st.builds(Call, st.just("ambiguity"), inner, st.just("classes")),
    )


singles = st.recursive(fields, _over, max_leaves=3)
plain_gazetteers = st.builds(
    Call, st.just("gazetteer"), singles, st.sampled_from(["lists", "others"]), flag=st.sampled_from([None, "plain"])
)
spelled = st.builds(Call, st.sampled_from(["casing", "run", "headline"]), fields)
windows = st.one_of(st.just(()), ranges(-3, 3).map(lambda r: (r,)))
# The order of equally frequent values is undefined for functions with several values per token.
elsewhere = st.one_of(
    st.builds(
        Call, st.just("elsewhere"), st.one_of(singles, spelled), numbers=windows, flag=st.sampled_from([None, "joined", "most"])
    ),
    st.builds(
        Call,
        st.just("elsewhere"),
        st.one_of(plain_gazetteers, st.just(Call("position")), st.just(Call("bias"))),
        flag=st.sampled_from([None, "joined"]),
    ),
)
sparse_expressions = st.one_of(
    singles,
    spelled,
    elsewhere,
    st.builds(Call, st.just("ngrams"), singles, numbers=ranges(1, 5).map(lambda r: (r,)), flag=st.sampled_from([None, "edges"])),
    st.builds(Call, st.just("orthography"), singles, flag=st.sampled_from([None, "dfi"])),
    st.builds(Call, st.just("capitals"), fields, numbers=ranges(-2, 2).map(lambda r: (r,))),
    st.builds(Call, st.just("disjunction"), singles, numbers=ranges(-4, 4).map(lambda r: (r,))),
    plain_gazetteers,
    st.just(Call("position")),
    st.just(Call("number", Field("score"))),
)
FUNCTIONS_DRAWN = {"embedding", "bias", "position", "number", "gazetteer", "disjunction", "capitals", "orthography", "ngrams"} | {
    "lower",
    "simplify",
    "shape",
    "digits",
    "prefix",
    "suffix",
    "cluster",
    "ambiguity",
    "casing",
    "run",
    "headline",
    "elsewhere",
}
assert set(FUNCTIONS) == FUNCTIONS_DRAWN, "a new function needs a strategy"

zero = (Range(0, 0),)
single_terms = st.one_of(st.builds(Term, sparse_expressions, offsets()), st.just(Term(Call("bias"), zero)))
narrow_terms = st.builds(Term, sparse_expressions, ranges(-2, 2).map(lambda r: (r,)))
history_terms = st.builds(Term, st.just(Field("label")), offsets(-4, -1))
dense_terms = st.builds(Term, st.builds(Call, st.just("embedding"), singles, st.just("glove")), offsets())


def combination_count(terms: tuple[Term, ...]) -> int:
    count = 1
    for term in terms:
        count *= len(tuple(term.expand()))
    return count


names = st.sampled_from([None, None, None, "T1", "a-name", "U"])


@st.composite
def templates(draw: st.DrawFn, *, history: bool = False) -> Template:
    kind = draw(st.integers(0, 6 if history else 5))
    if kind == 0:
        return Template((draw(dense_terms),))
    if kind <= 3:
        return Template((draw(single_terms),), draw(names))
    terms = draw(st.lists(narrow_terms, min_size=2, max_size=4).map(tuple).filter(lambda t: combination_count(t) <= 60))
    if kind == 6:
        terms = (draw(history_terms), *terms[: draw(st.integers(0, 2))])
        return Template(draw(st.permutations(terms).map(tuple)), draw(names))
    return Template(terms, draw(names))


@st.composite
def template_sets(draw: st.DrawFn, *, history: bool = False, size: int = 4) -> TemplateSet:
    """Templates in bags; those of one name are in the same bags."""
    result: list[Template] = []
    bags_of: dict[str, tuple[str, ...]] = {}
    for template in draw(st.lists(templates(history=history), min_size=1, max_size=size)):
        bags = draw(st.sampled_from([(), (), ("one",), ("two",), ("one", "two"), ("three-3",)]))
        if template.name:
            bags = bags_of.setdefault(template.name, bags)
        result.append(Template(template.terms, template.name, bags))
    return TemplateSet(tuple(result), boundary=draw(st.booleans()))
