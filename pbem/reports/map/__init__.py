"""Geometry and pictures: the drawn map, ship displays, damage charts, and map files in SVG and PNG."""
