"""Importing this makes ready what every errand needs: the modules that play and draw, and the module for VASSAL.

A process that is forked afterwards has all of it already.
"""

import gc

from pbem.desk import drafts, errand, papers
from pbem.report import form, mail, page, render, sitrep
from pbem.robot import scripted
from pbem.tabletop import positions

__all__ = ("drafts", "errand", "form", "mail", "page", "papers", "positions", "render", "scripted", "sitrep")

errand.fingerprint()
positions.companion()
gc.freeze()  # all this stays: nobody need look whether it could go
