"""What tractor beams are called in orders and on the energy form."""

SPELLINGS = {"TRACTOR": "TRAC TRACTORS", "RELEASE": ""}
ENTRIES = {"TRACTOR": {"line": 17, "also": "TRAC TRACTORS", "names": "letter", "alone": True}}
PAID_BY = {"TRACTOR": ("TRACTOR",)}
