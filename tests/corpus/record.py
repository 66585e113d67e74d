"""Writes games for the corpus: the orders come from computer players, random captains, the robot, or order files.

A game is named SCENARIO-AUTHOR[-AUTHOR …]-NUMBER, such as ``5-captain-random-2``: its sides have these authors in turn.
What is played follows from the name (:func:`pbem.lab.random_games.play.deal`: ships, options, terrain).
"""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from importlib import import_module
from itertools import cycle
from pathlib import Path

import msgspec

from pbem.ai.search import decide_orders
from pbem.data.doctrines import doctrines, level
from pbem.engine.dice import Secret
from pbem.engine.events import seen_by
from pbem.engine.log import apply
from pbem.engine.state import State
from pbem.games.answers import judged_on, rest_of
from pbem.games.segments import play_segment
from pbem.lab.random_games.play import Deal, answer, deal, opening
from tests.corpus.replay import GAMES, CorpusGame, RequestOrders, read

RANDOM, HAND = "random", "hand"
WEARY = (4, 9)
"""The turns in which random captains begin to give up, and the last in which one fights on: games stay short."""
MOST_REQUESTS = 60
"""A game that asks for orders more often is too long for the corpus."""


def begun(name: str) -> CorpusGame:
    """The game of this name before its first orders."""
    dealt = deal(name)
    _, *authors, _ = name.split("-")
    known = {RANDOM, *(one.name for one in doctrines().levels)}
    if not authors or not known.issuperset(authors):
        raise ValueError(f"{name}: a game is named like 5-captain-random-2; authors are {', '.join(sorted(known))}")
    sides = (side for side, player in dealt.players.items() if player != "robot")
    return CorpusGame(deal=dealt, authors=dict(zip(sides, cycle(authors), strict=False)))


def recorded(game: CorpusGame, folder: Path | None = None) -> CorpusGame:
    """The game with the orders of all requests until it is over.

    Orders that it has, or that lie in the game ``folder``, stay if they are legal; the others come from the authors.
    Raises :class:`ValueError` if it does not end soon.
    """
    begun = opening(game.deal)
    setting, state = begun.setting, begun.state
    views = {side: State() for side in game.authors}
    requests: list[RequestOrders] = []
    records = begun.records
    while True:
        for side, view in views.items():
            for record in records:
                if (event := seen_by(record, side)) is not None:
                    view = apply(view, event)
            views[side] = view
        request = state.request
        if request is None or state.over:
            return msgspec.structs.replace(game, requests=tuple(requests))
        if len(requests) == MOST_REQUESTS:
            raise ValueError(f"{game.deal.key} has not ended after {MOST_REQUESTS} requests")
        sent, texts = {}, {}
        for side in request.sides:
            kept = game.sent(state, side) if folder is None else filed(folder, state, side)
            judged = judged_on(state, setting, kept, "") if kept is not None else None
            if kept is None or judged is None or judged.faults:
                kept = written(game, state, views, side)
                judged = judged_on(state, setting, kept, "")
            sent[side], texts[side] = kept, judged.text
        requests.append(RequestOrders(turn=request.turn, number=request.number, orders=sent))
        records, state = play_segment(setting, Secret(game.deal.secret), state, texts)


def written(game: CorpusGame, state: State, views: Mapping[str, State], side: str) -> str:
    """What the author of a side orders now; for a game by hand it is a random captain."""
    setting, key = game.deal.setting, game.deal.key
    if (found := level(game.authors[side])) is not None:
        return decide_orders(views[side], setting, side, found, key).answer.sent
    return answer(random.Random(f"{key} {state.segment} {side}"), state, setting, side, weary=WEARY).sent


def filed(folder: Path, state: State, side: str) -> str | None:
    """What a side of a game folder sent for the request in force, or with the energy form of the same turn."""
    request = state.request
    assert request is not None
    place = folder / f"{request.turn:02}" / "orders"
    file, form = (place / f"{side}.r{number}.orders" for number in (request.number, 1))
    if file.is_file():
        return file.read_text(encoding="utf-8")
    return rest_of(form.read_text(encoding="utf-8"), request.number) if form.is_file() else None


def by_hand(name: str) -> tuple[CorpusGame, Path]:
    """A golden game (``duel01``, ``rigel``, ``s07``): how it was begun, and the folder with its order files."""
    from tests.golden import refresh

    scenarios = import_module("tests.golden.scenarios")  # a folder beside it has the same name
    if name in refresh.EXAMPLES:
        shown = refresh.EXAMPLES[name]
        dealt = Deal(key=name, number=shown.scenario, players=dict(shown.players))
        folder = refresh.TURNS / name
    else:
        book = scenarios.BOOK[name]
        dealt = Deal(key=name, number=book.scenario, players=dict(book.players), ships=dict(book.ships),
                     options=dict(book.options), units=book.units)  # fmt: skip
        folder = scenarios.GAMES / name
    author = RANDOM if name.startswith("s") else HAND
    authors = {side: author for side, player in dealt.players.items() if player != "robot"}
    return CorpusGame(deal=dealt, authors=authors), folder


def record(name: str) -> Path:
    """Write the file of a game. A game that is there already keeps its orders as far as they are legal."""
    file = GAMES / f"{name}.toml"
    if file.is_file():
        game = recorded(read(file))
    elif name.partition("-")[2] and not name[0].isdigit():
        raise ValueError(f"{name}: a game is named like 5-captain-random-2")
    elif name[0].isdigit():
        game = recorded(begun(name))
    else:
        game, folder = by_hand(name)
        game, file = recorded(game, folder), GAMES / f"{game.deal.number}-{name}.toml"
    GAMES.mkdir(exist_ok=True)
    file.write_text(text_of(game), encoding="utf-8", newline="\n")
    return file


def text_of(game: CorpusGame) -> str:
    """A game as its file has it; orders stand in it as they were sent."""
    settings = msgspec.to_builtins(game.deal)
    blank = {field.name: field.default for field in msgspec.structs.fields(Deal)}
    lines = ["[deal]"]
    for key, value in settings.items():
        if value and value != blank[key]:
            lines.append(f"{key} = {inline(value)}")
    lines += ["", "[authors]", *(f"{json.dumps(side)} = {json.dumps(who)}" for side, who in game.authors.items())]
    for request in game.requests:
        lines += ["", "[[requests]]", f"turn = {request.turn}", f"number = {request.number}", "[requests.orders]"]
        for side, text in request.orders.items():
            if "'''" in text:
                raise ValueError(f"orders of {side} hold three apostrophes in a row; a file of the corpus cannot")
            lines.append(f"{json.dumps(side)} = '''\n{text}'''")
    return "\n".join(lines) + "\n"


def inline(value: object) -> str:
    """A value in TOML on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {inline(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(inline(one) for one in value) + "]"
    return json.dumps(value, ensure_ascii=False)
