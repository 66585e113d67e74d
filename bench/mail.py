"""What the mails of the shipped duel weigh, part by part: `python bench/mail.py` prints one table.

Every mail of both captains, made anew from the shipped logs; `--parts` lists the parts of each. Weights are those on
the wire (headers and encoding included), in kB of 1000 bytes. In November 2026 pages began to travel as
quoted-printable, the map was drawn no larger than it is shown and with a palette, the report stopped telling its
sentences twice, and the form began to write its hex numbers itself. That brought the mails

    from   267 to 670 kB, on average 535
    to     126 to 349 kB, on average 280

Shorter names in scripts, hex numbers of halves and the style that is used brought that to 247, and what the form
learned since (what if he ...) to 271. Then pages began to travel as they are, in short lines of ASCII, forms lost the
script of what they do not ask and all that is empty in their data, and the report what the form says as well:

    to     100 to 275 kB, on average 222

and what forms tell since (courses of an enemy side by side, cloaks and lock-ons reckoned in) has them

    now    106 to 283 kB, on average 228

A form for courses is some 116, one for energy alone 80, the report page 55 to 109, the map 8 to 29, the summary 13 and
the text 8. Of a form for courses the script is 74, the style 18, the data 12; of a report page the style 17, the script
13, drawings 9 to 19. Sizes depend on the versions of resvg and zlib by a few per cent. A minifier that rewrites scripts
whole (terser, tried by hand) takes 7 kB more off a mail; what is left is what players read and use.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from email import message_from_bytes
from email.policy import default
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from pbem.games.storage.opening import opened  # noqa: E402
from pbem.games.storage.publish import publish_all  # noqa: E402

PLAYERS = ("federation", "klingon")


def mails(folder: Path) -> list[Path]:
    """The mails of the shipped duel, made anew."""
    game = folder / "duel01"
    shutil.copytree(ROOT / "turns" / "duel01", game)
    with opened(game) as found:
        publish_all(found)
    return sorted(path for path in game.rglob("mail.eml") if path.parent.name in PLAYERS)


def parts(mail: bytes) -> dict[str, int]:
    """What the parts of a mail weigh as they travel, by name or kind."""
    found: dict[str, int] = {}
    for part in message_from_bytes(mail, policy=default).walk():
        if not part.is_multipart():
            name = part.get_filename() or part.get_content_type()
            found["draft" if name.endswith(".orders") else name] = len(str(part.get_payload()).encode())
    return found


def main(arguments: list[str]) -> int:
    """Prints the weights."""
    with tempfile.TemporaryDirectory() as name:
        found = [(path.relative_to(Path(name) / "duel01").parent, path.read_bytes()) for path in mails(Path(name))]
    weights = [len(mail) for _, mail in found]
    for path, mail in found:
        inside = ", ".join(f"{what} {weight / 1000:.0f}" for what, weight in parts(mail).items())
        print(f"{path.as_posix():<22} {len(mail) / 1000:5.0f} kB{f'  ({inside})' if '--parts' in arguments else ''}")
    mean = sum(weights) / len(weights)
    print(
        f"{len(weights)} mails: {min(weights) / 1000:.0f} to {max(weights) / 1000:.0f} kB, on average {mean / 1000:.0f}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
