from __future__ import annotations

from typing import Any

from django import template

register = template.Library()


@register.inclusion_tag("contest/_table_head.html")
def table_head(*titles: str, num: str = "") -> dict[str, Any]:
    """The head of a table; ``num`` lists the columns of numbers, counted from 1."""
    numbers = {int(place) for place in num.split()}
    return {"columns": [(title, place in numbers) for place, title in enumerate(titles, start=1)]}
