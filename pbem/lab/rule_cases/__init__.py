"""Rule cases: text files that state a situation and its outcome under the rules, and code to run them.

``pbem case FILE…`` runs them, and the test suite runs all shipped ones. docs/cases.md describes the file format.
"""

from pbem.lab.rule_cases.play import CaseResult, run_file, run_files

__all__ = ["CaseResult", "run_file", "run_files"]
