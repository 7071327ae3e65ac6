"""How exposed the people of an original are, for the formats whose data can be read as a panel."""

from __future__ import annotations

from games.shop.panel import PANELS, PanelWords, panel_report

__all__ = ["PANELS", "PanelWords", "panel_report"]
