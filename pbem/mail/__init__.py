"""Play by email: receive the players' emails, act on them, and send the answers.

Incoming::

    transport.sources    fetch() yields each email as (key, bytes); done(key) marks it as read once it is answered
    incoming.message     read_letter(bytes) returns a Letter: sender, recipients, text of the orders; it never raises
    seats                who() returns the game and side that the sender and the token belong to, or an UnknownSender
    incoming.ledger      records what was done with each email: it counts once, however often it is delivered
    replies.answer       attend(letter, games) acts on an email and returns its answer

Outgoing::

    replies.reply        Reply: the text that is sent, with a key that is the same for the same content
    transport.outbox     Outbox(folder).put(reply) stores an email as a file until it is sent

The rules of play are not here. The files of a game hold its state; email only carries orders and reports. The folder
of a host contains game folders (or is one) and ``mail/`` with the files of the email. Emails from machines (bounces,
automatic answers, our own emails) are never answered. Strangers get no information.
"""
