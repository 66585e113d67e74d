"""LEGS: a game by real mail. Nothing here decides anything about play; files are the truth, mail carries them.

In::

    mailbox   fetch(source) -> (key, bytes); done(key) once the answer is safely on file
    bounds    how much of an email is read, and why no more
    letters   read_letter(bytes) -> Letter: who, to whom, the text of the orders; never raises
    who       is this sender, with this token, this side of this game? everything else goes to quarantine
    ledger    what was done with every letter: it counts once, whatever is delivered twice
    answering attend(letter, games) -> Answered: receipt, faults with a corrected draft, or a command's answer

Out::

    replies   Reply: what goes out, in words, with a key that is the same whenever the content is
    outbox    Outbox(folder).put(reply): kept as a file until it is sent

A host folder holds game folders (or is one), and ``mail/`` for the post's own files. No letter of a machine
(bounces, automatic answers, our own mail) is ever answered, and a stranger is told nothing at all.
"""
