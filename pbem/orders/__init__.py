"""The order language: text to orders, orders to text, and what a faulty line is told.

:mod:`pbem.orders.reader`, :mod:`pbem.orders.writer` and :mod:`pbem.orders.draft` are its doors; what is
read is in :mod:`pbem.orders.model`. The language is described for players in docs/orders.md.
"""
