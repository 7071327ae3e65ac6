from __future__ import annotations

from django import template

from contest.charts.chart import Chart
from contest.charts.svg import inline

register = template.Library()


@register.filter
def as_svg(chart: Chart) -> str:
    """A chart drawn inside the page."""
    return inline(chart)
