"""Load everything that a job needs: the modules that play and draw, and the VASSAL companion module.

Importing this module does all the work. Processes that are forked afterwards then have all these modules in memory.
"""

import gc

from pbem.ai import robot
from pbem.games import resolve
from pbem.games.storage import papers
from pbem.reports import draft, render
from pbem.reports.form import form
from pbem.reports.html import page
from pbem.reports.mail import sitrep_mail as mail
from pbem.reports.text import sitrep
from pbem.vassal_bridge import positions

__all__ = ("draft", "form", "mail", "page", "papers", "positions", "render", "resolve", "robot", "sitrep")

resolve.fingerprint()
positions.companion()
gc.freeze()  # these objects stay forever, so the garbage collector need not check them
