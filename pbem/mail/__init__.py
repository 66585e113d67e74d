"""Play by email: receive the players' emails, act on them, and send the answers.

Incoming::

    transport.sources    fetch() -> (key, bytes); done(key) once the answer is stored
    incoming.message     read_letter(bytes) -> Letter: sender, recipient, text of the orders; never raises
    seats                who(): which side of which game the sender and token belong to; others go to quarantine
    incoming.ledger      what was done with each email: it counts once, however often it is delivered
    replies.answer       attend(letter, games) -> Answered: receipt, faults with a corrected draft, or answer

Outgoing::

    replies.reply        Reply: the text that is sent, with a key that is the same for the same content
    transport.outbox     Outbox(folder).put(reply): keeps it as a file until it is sent

The rules of play are not here. The files of the games are the truth, and email only carries them. A host's folder
contains game folders (or is one), and ``mail/`` for the files of the email. Emails from machines (bounces,
automatic answers, our own emails) are never answered, and strangers are told nothing.
"""
