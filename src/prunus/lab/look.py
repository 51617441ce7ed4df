"""The look that the pages of the lab share with the dashboard: its colours, letters and tables."""

from __future__ import annotations

from typing import Final

LOOK: Final = """
:root { color-scheme: light dark;
  --ink: #1d1f23; --faint: #565d66; --grid: #e2e4e8; --paper: #ffffff; --mark: #8a2f5c }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e7e8ea; --faint: #a5acb5; --grid: #2d3136; --paper: #141618; --mark: #ee93bd }
}
body { font: 14px/1.5 ui-sans-serif, system-ui, -apple-system, "Segoe UI", "Inter", "Roboto", sans-serif;
  font-variant-numeric: tabular-nums; color: var(--ink); background: var(--paper); margin: 2rem auto;
  padding: 0 1.2rem }
h1 { font-size: 1.5rem; font-weight: 650; letter-spacing: -.02em; line-height: 1.2 }
h2 { margin: 2.4rem 0 .6rem; font-size: 1.02rem; font-weight: 650; letter-spacing: -.01em }
.table { overflow-x: auto } table { border-collapse: collapse }
th, td { padding: .36rem .9rem .36rem 0; text-align: right; border-bottom: 1px solid var(--grid);
  white-space: nowrap }
th { color: var(--faint); font-size: .82rem; font-weight: 500 }
th:first-child, td:first-child { text-align: left }
"""
"""The style of a page; the names of the colours are those of the lab's plots."""
