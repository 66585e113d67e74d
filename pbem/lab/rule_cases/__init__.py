"""Rule cases: numbered text files that say what the rules make of a situation, and the runner that tries them.

``pbem case FILE…`` runs them, the test suite runs all that are shipped; docs/cases.md lists what a case can say.
"""

from pbem.lab.rule_cases.play import Result, run_file, run_files

__all__ = ["Result", "run_file", "run_files"]
