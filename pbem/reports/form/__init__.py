"""The order form page (an HTML page in which a player enters orders), and its data.

:mod:`pbem.reports.form.form` makes the page; the other modules compute parts of its data.
"""
