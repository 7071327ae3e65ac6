"""Pictures as files."""

from __future__ import annotations

from django.http import Http404, HttpResponse

from contest.charts.chart import Chart
from contest.charts.png import png
from contest.charts.svg import standalone


def as_file(chart: Chart, form: str) -> HttpResponse:
    """The picture as SVG or PNG, or its numbers as CSV."""
    kinds = {
        "svg": ("image/svg+xml", lambda: standalone(chart).encode()),
        "png": ("image/png", lambda: png(chart)),
        "csv": ("text/csv; charset=utf-8", lambda: chart.as_csv().encode()),
    }
    if form not in kinds:
        raise Http404
    kind, content = kinds[form]
    response = HttpResponse(content(), content_type=kind)
    response["Content-Disposition"] = f'attachment; filename="{chart.name}.{form}"'
    return response
