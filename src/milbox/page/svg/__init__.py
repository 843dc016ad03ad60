"""Markup, scales and charts, all drawn by hand as SVG."""
