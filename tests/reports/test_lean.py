"""What makes mails lighter keeps what they show and do: the palette of a picture, the spaces of a script."""

from __future__ import annotations

import random
import struct
import zlib
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
from lxml import html

from pbem.reports.html import page
from pbem.reports.html.compact import LONGEST, css_in_lines, json_in_lines, lean_html, needed_css, squeezed_css
from pbem.reports.html.page import sitrep_html
from pbem.reports.map import picture as lean_png
from pbem.reports.map.picture import SIGNATURE, lean
from pbem.reports.view.build import build_view


def chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def paeth(a: int, b: int, c: int) -> int:
    return min((abs(b - c), 0, a), (abs(a - c), 1, b), (abs(a + b - 2 * c), 2, c))[2]


def filtered(pixels: bytes, width: int, kinds: list[int]) -> bytes:
    """Rows as a PNG holds them, each by a filter of its own (PNG, chapter 9)."""
    size, out, before = 4 * width, b"", bytes(4 * width)
    for number, kind in enumerate(kinds):
        row = pixels[number * size : (number + 1) * size]
        made = bytearray()
        for at, value in enumerate(row):
            a, c = (row[at - 4], before[at - 4]) if at >= 4 else (0, 0)
            b = before[at]
            guess = (0, a, b, (a + b) // 2, paeth(a, b, c))[kind]
            made.append((value - guess) & 255)
        out += bytes([kind]) + bytes(made)
        before = row
    return out


def picture(pixels: bytes, width: int, kinds: list[int]) -> bytes:
    head = struct.pack(">IIBBBBB", width, len(kinds), 8, 6, 0, 0, 0)
    data = zlib.compress(filtered(pixels, width, kinds))
    return SIGNATURE + chunk(b"IHDR", head) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def read(png: bytes) -> list[tuple[int, ...]]:
    """The pixels of a picture with a palette."""
    parts = dict(lean_png._chunks(png))
    width, height, *kind = struct.unpack(">IIBBBBB", parts[b"IHDR"])
    assert kind == [8, 3, 0, 0, 0]
    palette = [tuple(parts[b"PLTE"][at : at + 3]) for at in range(0, len(parts[b"PLTE"]), 3)]
    rows = zlib.decompress(parts[b"IDAT"])
    return [palette[rows[y * (width + 1) + 1 + x]] for y in range(height) for x in range(width)]


def test_every_filter_of_a_png_is_undone() -> None:
    rng = random.Random(7)
    colours = [bytes((20 * n, 255 - 20 * n, 80 * (n % 3), 255)) for n in range(12)]
    pixels = b"".join(rng.choice(colours) for _ in range(60 * 25))
    small = lean(picture(pixels, 60, [0, 1, 2, 3, 4] * 5))
    assert read(small) == [tuple(pixels[at : at + 3]) for at in range(0, len(pixels), 4)]


@pytest.mark.parametrize("kind", range(5))
def test_a_filter_is_undone_below_a_row_of_one_colour(kind: int) -> None:
    """Where nothing changes above, and something or nothing is added; and below the top, where all is 0."""
    red, blue = bytes((200, 30, 30, 255)), bytes((21, 87, 176, 255))
    rows = [red * 9, red * 9, red * 4 + blue * 5, blue * 9, blue + red * 8, red * 9]
    for shown in (rows, rows[2:]):
        pixels = b"".join(shown)
        assert lean_png._unfiltered(filtered(pixels, 9, [kind] * len(shown)), 9, len(shown)) == pixels


def test_rare_colours_become_near_ones_and_every_hue_stays() -> None:
    paper, blue = (251, 252, 255), (21, 87, 176)
    softened = [tuple(p + (b - p) * n // 200 for p, b in zip(paper, blue, strict=True)) for n in range(200)]
    dots = [*[paper] * 6000, *softened, *[blue] * 200]
    small = lean(picture(b"".join(bytes((*rgb, 255)) for rgb in dots), 80, [0] * 80))
    assert len(small) < 1000
    for was, now in zip(dots, read(small), strict=True):
        assert sum((a - b) ** 2 for a, b in zip(was, now, strict=True)) < 2 * lean_png.ALIKE
    assert blue in read(small)


@pytest.mark.parametrize("spread", [9, 13, 40])
def test_the_palette_is_that_of_a_plain_reckoning(spread: int) -> None:
    """Colours by how many dots have them, then by value; each kept that is far enough from those before it, 32 at most;
    all others are drawn as the nearest kept to the first of their like.
    """
    rng = random.Random(spread)
    some = [tuple(rng.randrange(0, 256, spread) for _ in range(3)) for _ in range(70)]
    dots = [some[min(rng.randrange(70), rng.randrange(70))] for _ in range(64 * 40)]

    def apart(one: tuple[int, ...], other: tuple[int, ...]) -> int:
        return sum((a - b) ** 2 for a, b in zip(one, other, strict=True))

    ranked = sorted(set(dots), key=lambda rgb: (-dots.count(rgb), rgb))
    kept: list[tuple[int, ...]] = []
    for rgb in ranked:
        if len(kept) < 32 and all(apart(rgb, one) > 300 for one in kept):
            kept.append(rgb)
    first: dict[tuple[int, ...], tuple[int, ...]] = {}
    shown = {}
    for rgb in ranked:
        alike = tuple(part // 8 for part in rgb)
        if rgb not in kept and alike not in first:
            first[alike] = min(kept, key=lambda one: apart(one, rgb))
        shown[rgb] = rgb if rgb in kept else first[alike]
    small = lean(picture(b"".join(bytes((*rgb, 255)) for rgb in dots), 64, [0] * 40))
    assert read(small) == [shown[rgb] for rgb in dots]
    assert dict(lean_png._chunks(small))[b"PLTE"] == b"".join(map(bytes, kept))


def test_what_is_no_such_picture_is_left_alone() -> None:
    grey = SIGNATURE + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)) + chunk(b"IEND", b"")
    assert lean(grey) == grey and lean(b"GIF89a") == b"GIF89a"


def test_a_style_keeps_the_spaces_it_needs() -> None:
    style = '.a  .b { width : calc(1px + 2em); content: "a  ;  b"; }  /* no */\n'
    style += "@media (x) and (y) { .c:not(.d) { top:0; } }"
    assert squeezed_css(style) == (
        '.a .b{width :calc(1px + 2em);content:"a  ;  b"}@media (x) and (y){.c:not(.d){top:0}}'
    )


def test_of_a_style_stays_what_a_page_has_names_for() -> None:
    style = ".a,.b .c{top:0}.b{top:1}#d{top:2}p:not(.e) .a{top:3}@media (x){.b{top:4}}@media (y){.a{top:5}.b{top:6}}"
    style += '[data-b=".b"] i,.s2{top:7}'
    assert needed_css(style, '<p class="a c">') == (
        '.a{top:0}p:not(.e) .a{top:3}@media (y){.a{top:5}}[data-b=".b"] i,.s2{top:7}'
    )
    assert needed_css(style, '<p class="a c">', "b = d") == style.replace("@media (x){}", "")
    assert needed_css(".a{top:0}.b{top:1}", "<p>", "b") == ".b{top:1}"
    assert needed_css(".a :is(#b,#c),.c{top:0}", '<p class="c">') == ".c{top:0}"  # a comma in brackets ends nothing


def test_what_a_page_says_in_words_asks_for_no_style() -> None:
    style = ".turn{top:0}.way{top:1}#map{top:2}.kind{top:3}"
    assert needed_css(style, '<p class="turn" title="way">the way</p>') == ".turn{top:0}"
    assert needed_css(style, '<p\nid="map">turn</p>') == "#map{top:2}"
    assert needed_css(style, '<p>way</p><script type="x">{"a":"kind"}</script><p>turn</p>') == ".kind{top:3}"


@pytest.mark.parametrize(
    ("in_lines", "piece"),
    [(css_in_lines, ".a{top:0}"), (json_in_lines, '"a, b",'), (json_in_lines, r'"a, \"b",')],
    ids=["style", "data", "data with quotes in texts"],
)
def test_lines_are_broken_only_where_they_would_be_too_long(in_lines: Callable[[str], str], piece: str) -> None:
    """Mail servers cut long lines. A break stands between two rules, or behind a comma that is in no text."""
    for size in range(LONGEST - 1, LONGEST + 2 * len(piece)):
        times, rest = divmod(size, len(piece))
        text = piece.replace("a", "a" * (rest + 1)) + piece * (times - 1)
        lines = in_lines(text).split("\n")
        assert "".join(lines) == text and all(len(line) <= LONGEST for line in lines)
        assert all(line.endswith(piece[-2:]) for line in lines)
        assert len(lines) == (1 if size <= LONGEST else 2)
        assert len(lines) == 1 or len(lines[0]) > LONGEST - len(piece), "a line holds as much as it can"


@pytest.mark.parametrize("quote", ["", r"\""])
def test_a_text_longer_than_a_line_is_not_broken(quote: str) -> None:
    """Only behind it."""
    long = f'"{quote}{"a, " * LONGEST}",'
    assert json_in_lines(f'"b",{long}"c"').split("\n") in (['"b",', long, '"c"'], [f'"b",{long}', '"c"'])
    assert json_in_lines(f'{long}"c",{long[:-1]}').split("\n") == [long, '"c",', long[:-1]]


def test_a_page_without_needless_ends_is_the_same_page(duels: ModuleType) -> None:
    lists = "<ul>\n<li>a <b>c</b> </li>\n<li><dl><dt>d</dt>\n<dd>e</dd></dl></li></ul> <pre></li>\n<li></pre>"
    assert lean_html(lists) == "<ul>\n<li>a <b>c</b> <li><dl><dt>d<dd>e</dl></ul> <pre></li>\n<li></pre>"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(page, "lean_html", str)
        whole = sitrep_html(build_view(duels.duel(), "klingon"), "GAME x")
    assert len(lean_html(whole)) < 0.97 * len(whole)
    one, other = (html.document_fromstring(text) for text in (whole, lean_html(whole)))
    assert [seen(element) for element in one.iter()] == [seen(element) for element in other.iter()]


def seen(element: Any) -> tuple[Any, ...]:
    """A tag, what it says of itself, and its texts without regard to blanks at their ends."""
    around = [(text or "").strip() for text in (element.text, element.tail)]
    return element.tag, sorted(element.items()), around
