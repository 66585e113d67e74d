"""The order language: reading orders, writing orders, and explaining a faulty line.

The entry points are :mod:`pbem.orders.reader` (text to orders), :mod:`pbem.orders.writer` (orders to text) and
:mod:`pbem.orders.draft` (a file for the player to fill in). :mod:`pbem.orders.model` holds the values that are
read. docs/orders.md describes the language for players.
"""
