"""What flares are called: in orders, on the energy form, in conditions and on the order form."""

SPELLINGS = {"FLARE": "FLARES", "DAZZLED": ""}
ENTRIES = {"FLARE": {"line": 19, "also": "FLARES", "cadet": True}}
STATES = {"DAZZLED": "it is dazzled"}
PAID_BY = {"FLARE": ("FLARE",)}
