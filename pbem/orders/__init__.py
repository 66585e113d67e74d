"""The order language: reading orders, writing orders, and explaining a faulty line.

The entry points are :mod:`pbem.orders.reader` (text to orders), :mod:`pbem.orders.writer` (orders to text) and
:mod:`pbem.orders.draft` (an order file for the player to edit). :mod:`pbem.orders.model` defines the objects that
orders consist of. docs/orders.md describes the language for players.
"""
