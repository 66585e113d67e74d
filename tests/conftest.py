"""For all tests: no timing decides anything, so Hypothesis has no deadlines; and its examples are the same
every time.
"""

from hypothesis import settings

settings.register_profile("pbem", deadline=None, derandomize=True)
settings.load_profile("pbem")
