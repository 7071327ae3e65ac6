from __future__ import annotations

from typing import Any

from django.db import models

from contest.names.lookalikes import look_of


class LookKey(models.CharField):
    """How a name looks (`contest.names.look_of`), made from the column ``of`` when a row is first saved.

    An existing key stays: where old names looked alike already, all but the first have a longer key. It
    is empty in rows that an older release wrote, until they are saved.
    """

    def __init__(self, *args: Any, of: str, **kwargs: Any) -> None:
        self.of = of
        kwargs.setdefault("max_length", 255)
        kwargs.setdefault("editable", False)
        kwargs.setdefault("null", True)
        super().__init__(*args, **kwargs)

    def deconstruct(self) -> Any:
        name, path, args, kwargs = super().deconstruct()
        return name, path, args, {**kwargs, "of": self.of}

    def pre_save(self, model_instance: models.Model, add: bool) -> Any:
        if not getattr(model_instance, self.attname):
            setattr(model_instance, self.attname, look_of(getattr(model_instance, self.of)) or None)
        return getattr(model_instance, self.attname)
