/* --- planets and asteroids in a line of fire ------------------------------------------------------------------------ */
/* Only in forms whose map has any. As `line` in pbem/rules/hexes.py: a line passes through a hex, or along an edge; one
   along the edge between two of the same kind meets them once. */
{
  const cube = hex => { const [c, r] = at(hex), z = r + M.slants[c - M.first[0]]; return [c, -c - z, z]; };
  const passage = (from, to, hex) => {
    const here = cube(hex);
    let low = 0, high = 1, edge = false;
    for (const [one, two] of [[0, 1], [1, 2], [2, 0]]) {
      const offset = from[one] - here[one] - from[two] + here[two], slope = to[one] - from[one] - to[two] + from[two];
      if (!slope) { if (Math.abs(offset) > 1) return null; edge = Math.abs(offset) === 1; continue; }
      const ends = [(-1 - offset) / slope, (1 - offset) / slope];
      low = Math.max(low, Math.min(...ends));
      high = Math.min(high, Math.max(...ends));
    }
    return low < high && { low, edge };
  };
  const met = (a, b, hexes) => {
    if (a === b) return Number(hexes.includes(a));
    const from = cube(a), to = cube(b), found = hexes.map(hex => passage(from, to, hex)).filter(Boolean), along = found.filter(one => one.edge).map(one => one.low);
    return found.length - along.length + along.filter((low, n) => along.indexOf(low) < n).length;
  };
  const planets = Object.keys(M.closed);
  between = (a, b) => {
    if (met(a, b, planets)) return -1;
    const count = met(a, b, M.rocks || []);
    return Math.max(0, ...(M.adds || []).filter(([least]) => count >= least).map(([, added]) => added));
  };
}
