"""Check the form of a commit message: an imperative subject of at most 72 characters, a blank line, the reason in the body.

    python tools/check_commit_message.py FILE

Git passes FILE to the hook commit-msg. The mood of the verb is checked by its ending: "Adds" and "Added" are refused.
"""

import re
import sys
from pathlib import Path

MAX_SUBJECT = 72
NOT_IMPERATIVE = re.compile(r"^(?:The|A|An|This|It|We|I|[A-Z][a-z]+(?:ed|ing|[^s]s))$")
IMPERATIVE = {
    "Process",
    "Pass",
    "Focus",
    "Discuss",
    "Embed",
    "Feed",
    "Need",
    "Speed",
    "Proceed",
    "Bring",
    "String",
    "Alias",
    "Bias",
    "Canvas",
}


def problems(message: str) -> list[str]:
    """Return the problems of a message; comment lines are ignored."""
    lines = [line for line in message.splitlines() if not line.startswith("#")]
    subject = lines[0] if lines else ""
    first = subject.split(" ")[0]
    messages = []
    if not subject:
        return ["the subject is empty"]
    if re.match(r"(?:Merge|Revert|fixup!|squash!) ?", subject):
        return []
    if len(subject) > MAX_SUBJECT:
        messages.append(f"the subject has {len(subject)} characters, more than {MAX_SUBJECT}")
    if not first[:1].isupper() or (NOT_IMPERATIVE.match(first) and first not in IMPERATIVE):
        messages.append(f"the subject begins with {first!r}; begin with a verb in the imperative, such as 'Add'")
    if subject.endswith("."):
        messages.append("the subject ends with a period")
    if len(lines) > 1 and lines[1].strip():
        messages.append("the second line is not blank")
    return messages


if __name__ == "__main__":
    messages = problems(Path(sys.argv[1]).read_text(encoding="utf-8"))
    for text in messages:
        print(f"commit message: {text}", file=sys.stderr)
    sys.exit(bool(messages))
