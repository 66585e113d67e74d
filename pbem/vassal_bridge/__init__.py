"""The hands: the game's units as counters on a VASSAL table, and back. The one place that knows both packages."""
