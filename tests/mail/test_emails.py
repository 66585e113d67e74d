"""The templates of emails: what they get, how their text is laid out, and a club's own ones in their place."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from jinja2.meta import find_referenced_templates, find_undeclared_variables

from pbem.mail import emails
from pbem.mail.commands import EMAIL_COMMANDS, EmailCommand
from pbem.mail.commands.dispatch import COMMANDS
from pbem.mail.emails import EmailText, render
from pbem.mail.host.doctor import examine
from pbem.mail.incoming.extract import command_in
from pbem.reports.html.templates import templates_folder

if TYPE_CHECKING:
    from tests.mail.hosted import Hosted, words
else:
    from post_hosted import Hosted, words

TEMPLATES = templates_folder() / emails.FOLDER
WAITING: dict[str, emails.Value] = {
    "game": "duel", "turn": 2, "impulse": 9, "late": ["klingon"], "stretch": "turn 2", "since": "Monday",
}  # fmt: skip


def names_in(file: str) -> set[str]:
    """Return the values that a template uses, those of the files it takes in included."""
    source = (TEMPLATES / file).read_text(encoding="utf-8")
    tree = emails._built_in().parse(source)
    found = set(find_undeclared_variables(tree))
    return found.union(*(names_in(str(other)) for other in find_referenced_templates(tree)))


@pytest.mark.parametrize("name", emails.all_names())
def test_each_template_says_what_it_is_and_makes_its_example(name: str) -> None:
    guide = emails.guide(name)
    assert guide.to and guide.when and not guide.when.endswith(".")
    page = names_in(f"{name}.html.j2") if (TEMPLATES / f"{name}.html.j2").is_file() else set()
    assert names_in(f"{name}.txt.j2") | page == guide.example.keys()
    said = render(name, None, **guide.example)
    assert said.subject and "\n" not in said.subject and "{" not in said.subject
    assert said.text == said.text.strip("\n") or guide.example.get("sitrep") or guide.example.get("report")
    assert not set(said.subject + said.text) & {emails._KEPT, emails._BREAK, emails._EDGE}


def test_the_page_of_the_guides_is_up_to_date() -> None:
    root = Path(__file__).resolve().parents[2]
    page = (root / "docs" / "emails.md").read_text(encoding="utf-8")
    assert runpy.run_path(str(root / "docs" / "emails.py"))["document"]() == page


def test_a_template_gets_plain_values_only(tmp_path: Path) -> None:
    for value in (tmp_path, {"a": 1}, [["x", tmp_path]], b"x", object()):
        with pytest.raises(TypeError, match="plain values only"):
            render("waiting", None, **{**WAITING, "since": value})  # type: ignore[arg-type]


@pytest.mark.parametrize("value", ["| x", "  x", "x\\", "a\n\nb", "Subject: x", "\ufdd1x", "{{ game }}", "{% if %}"])
def test_a_value_cannot_change_how_an_email_is_laid_out(value: str) -> None:
    said = render("game-paused", None, game="duel", since="now", reason=value)
    first, _, last = said.text.partition("\n\n")
    assert (
        first.startswith("duel has been paused since now. Nothing is played")
        and said.subject == "duel: the game is paused"
    )
    assert last.split() == value.replace("\ufdd1", "").split()


def test_a_list_stays_as_it_is_and_a_paragraph_is_wrapped() -> None:
    lines = ["", "|  a   b", "x " * 60, "  c\n\n d\\"]
    said = render("orders-filed", None, **{**emails.guide("orders-filed").example, "orders": lines})
    assert said.text.endswith("\n\n" + "\n".join(lines))
    assert all(len(line) <= 76 for line in said.text.split("\n")[:2])


def test_a_sentence_is_one_line_with_its_values_as_they_are() -> None:
    assert emails.sentence("asked_for_time", side="gorn", by_host=False, reason="a\n b  c") == (
        "gorn asked for more time. a\n b  c"
    )
    assert emails.sentence("asked_for_time", side="", by_host=True, reason="| x\\") == "| x\\"
    assert (
        emails.sentence("counted_out", side="", days="D")
        == "You are away on D; these days do not count toward the deadline."
    )


# --- a club's own templates ------------------------------------------------------------------------------------------


def own(club: Path, text: str, file: str = "waiting.txt.j2") -> Path:
    path = club / emails.OWN_FOLDER / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_a_club_has_its_own_words(tmp_path: Path) -> None:
    built_in = render("waiting", tmp_path, **WAITING)
    path = own(tmp_path, "Subject: {{ game }} halts\n\nWe wait for\n{{ late | join(' and ') }}.\n\n| {{ since }}\n")
    assert render("waiting", tmp_path, **WAITING) == EmailText("duel halts", "We wait for klingon.\n\n| Monday")
    assert render("waiting", None, **WAITING) == built_in == render("waiting", tmp_path / "elsewhere", **WAITING)
    path.write_text("Subject: changed\n\nA longer text than before.\n", encoding="utf-8")
    assert render("waiting", tmp_path, **WAITING).subject == "changed", "a host that runs reads it anew"
    path.write_bytes(b"\xef\xbb\xbfSubject: of Windows\r\n\r\nOne.\r\n\r\nTwo.\r\n")
    assert render("waiting", tmp_path, **WAITING) == EmailText("of Windows", "One.\n\nTwo.")
    own(tmp_path, "Subject: {{ game }}\n\n{% import '_salts.j2' as say %}{{ say.new_salts('x') }}\n")
    assert "Players may already have seen some dice" in render("waiting", tmp_path, **WAITING).text
    assert emails.failures(tmp_path) == [] == emails.broken(tmp_path)


BROKEN = {
    "syntax": ("Subject: a\n{% if %}", "line 2: "),
    "unknown name": ("Subject: a\n{{ games }}", "'games' is undefined"),
    "no subject": ("Hello {{ game }}\n", "the first line is not `Subject: `"),
    "empty subject": ("Subject: {{ '' }}\n\nx", "the first line is not `Subject: `"),
    "too long": ("Subject: a\n" + "{{ stretch }}" * 60, "the email is too long"),
    "long joined": ("Subject: a\n{{ " + "late | join(" * 6 + "stretch" + ")" * 6 + " }}", "the email is too long"),
    "large file": (f"Subject: a\n{'x' * emails.MOST_SOURCE}", "the file has more than 20000 bytes"),
    "loop in a loop": ("Subject: a\n{% for a in late %}{% for b in late %}{% endfor %}{% endfor %}", "line 2: a loop"),
    "endless loop": ("Subject: a\n{% for a in range(9) %}{% endfor %}", "line 2: "),
    "macro": ("Subject: a\n{% macro m() %}{{ m() }}{{ m() }}{% endmacro %}{{ m() }}", "Macro may not be used here"),
    "method": ("Subject: a\n{{ game.center(999999999) }}", "only imported macros may be called"),
    "method of a loop": (
        "Subject: a\n{% import '_salts.j2' as s %}{% for s in late %}{{ s.x() }}{% endfor %}",
        "a loop",
    ),
    "sum": ("Subject: a\n{{ turn * 999999999 }}", "Mul may not be used here"),
    "power": ("Subject: a\n{{ 9 ** 9 ** 9 }}", "Pow may not be used here"),
    "filter": ("Subject: a\n{{ game | replace('', game) }}", "there is no filter replace"),
    "other file": ("Subject: a\n{% include 'receipt.txt.j2' %}", "only the files of the program that begin with _"),
    "file by name": ("Subject: a\n{% include game %}", "only the files of the program that begin with _"),
    "inside": ("Subject: a\n{{ game.__class__.__mro__ }}", "is unsafe"),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_template_is_replaced_by_the_built_in_one_and_told_once(tmp_path: Path, kind: str) -> None:
    built_in = render("waiting", None, **WAITING | {"stretch": "x" * 20_000, "late": ["klingon"] * 30})
    source, why = BROKEN[kind]
    own(tmp_path, source)
    for _ in range(2):
        assert render("waiting", tmp_path, **WAITING | {"stretch": "x" * 20_000, "late": ["klingon"] * 30}) == built_in
    ((file, said),) = emails.failures(tmp_path)
    assert file == "waiting.txt.j2" and why in said
    assert emails.failures(tmp_path) == []
    if kind not in ("too long", "long joined"):
        ((file, said),) = emails.broken(tmp_path)
        assert file == "waiting.txt.j2" and (why in said or "this email has no value games; it has game, " in said)


def test_a_loop_over_very_much_is_not_begun(tmp_path: Path) -> None:
    own(tmp_path, "Subject: a\n" + "{% for a in late %}" + "{% if a %}{% endif %}" * 500 + "{% endfor %}")
    assert "is waiting for" in render("waiting", tmp_path, **WAITING | {"late": ["k"] * 20_000}).text
    assert emails.failures(tmp_path) == [("waiting.txt.j2", "it takes too long: its loops have too much in them")]
    assert render("waiting", tmp_path, **WAITING).subject == "a"


def test_what_is_no_template_of_an_email_is_found(tmp_path: Path) -> None:
    for file in ("wating.txt.j2", "receipt.txt", "reminder.html.j2", "_echo.j2"):
        own(tmp_path, "Subject: x\n", file)
    (tmp_path / emails.OWN_FOLDER / "draw.txt.j2").mkdir()
    own(tmp_path, "x", "receipt.txt.j2").write_bytes(b"Subject: \xff\n")
    found = dict(emails.broken(tmp_path))
    assert found.pop("draw.txt.j2") == "it is no file" and "codec can't decode" in found.pop("receipt.txt.j2")
    assert set(found) == {"wating.txt.j2", "receipt.txt", "reminder.html.j2", "_echo.j2"}
    assert set(found.values()) == {"there is no such email"}
    assert render("draw-agreed", tmp_path).subject == "a draw"


def test_a_club_has_its_own_words_in_html(tmp_path: Path) -> None:
    values: dict[str, Any] = {"notes": ["<b>"], "page": "", "subject": "", "deadline": ""}
    built_in = emails.html_parts("sitrep", None, **values)
    both = "{% block above %}<i>{{ notes[0] }}</i>{% endblock %}{% block letter %}{% endblock %}"
    own(tmp_path, both.replace("notes[0]", "notes | first"), "sitrep.html.j2")
    assert emails.html_parts("sitrep", tmp_path, **values) == {"above": "<i>&lt;b&gt;</i>", "letter": ""}
    for text, why in (
        ("{% block above %}{% endblock %}", "it has no block letter"),
        (both, "line 1: Getitem may not be used here"),
        (both.replace("notes[0]", "notes | first | safe"), "line 1: there is no filter safe here"),
        (both.replace("notes[0]", "other"), "'other' is undefined"),
    ):
        own(tmp_path, text, "sitrep.html.j2")
        assert emails.html_parts("sitrep", tmp_path, **values) == built_in
        assert emails.failures(tmp_path) == [("sitrep.html.j2", why)]
        assert [file for file, _ in emails.broken(tmp_path)] == ["sitrep.html.j2"]


def test_a_host_sends_the_clubs_words_and_tells_the_umpire_of_a_broken_template(tmp_path: Path) -> None:
    hosted = Hosted(tmp_path)
    own(tmp_path, "Subject: {{ subject }}\n\nWelcome to {{ game }}, {{ side }}!\n\n{{ sitrep }}\n", "invitation.txt.j2")
    broken = own(tmp_path, "Subject: x\n{{ nobody }}\n", "reminder.txt.j2")
    hosted.round()
    assert words(hosted.sent_to("federation")[0]).startswith("Welcome to duel01, federation!\n\nduel01 1.0 SITREP")
    assert hosted.sent_to("umpire") == []
    for _ in range(3):
        hosted.later(hours=10)
    assert "They are still missing" in words(hosted.sent_to("federation")[-1])
    hosted.round()
    (told,) = (words(one) for one in hosted.sent_to("umpire"))
    said = " ".join(told.split())
    assert "templates/emails/reminder.txt.j2 cannot be used: 'nobody' is undefined. The built-in one was sent." in said
    findings = [one for one in examine(tmp_path) if one.what == "emails"]
    assert [one.right for one in findings] == [False] and "this email has no value nobody" in findings[0].said
    broken.unlink()
    assert [one for one in examine(tmp_path) if one.what == "emails"] == []


# --- commands --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("one", EMAIL_COMMANDS, ids=lambda one: one.word)
def test_each_command_is_read_carried_out_and_explained(one: EmailCommand) -> None:
    assert COMMANDS[one.word].__doc__ and one.word in COMMANDS[one.word].__doc__  # type: ignore[operator]
    assert command_in(one.word, "") == (one.word, "") and command_in(f"{one.word} and then {{", "") is None
    helped = "\n".join(each.help for each in EMAIL_COMMANDS)
    assert f"  {one.word}" in helped if one.help else f", {one.word} " in helped
    assert all(len(line) <= 86 for line in one.help.split("\n"))
    assert (one.meant is None) == (not one.hint)
    if one.hint:
        assert one.hint.startswith(f"{one.word} ") and one.meant is not None
    guide = (TEMPLATES.parents[1] / "docs" / "play-by-mail.md").read_text(encoding="utf-8")
    assert re.search(rf"\b{one.word}\b", guide)
