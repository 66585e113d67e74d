"""How strong the tests are: small mistakes put in one at a time, and whether a test notices (see run.py)."""
