"""Bodies that hold known keys alone: a setting that is misspelt must not pass for one that was saved."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers as s

from contest.bundle.expectations import one_of
from contest.language.refusals import say_expected
from datasets.problems import shown


class ClosedShape(s.Serializer[Any]):
    """Refuses keys that it does not know in the words of bundles, together with all other faults."""

    def to_internal_value(self, data: Any) -> Any:
        faults = self._unknown_keys(data)
        try:
            found = super().to_internal_value(data)
        except s.ValidationError as error:
            assert isinstance(error.detail, dict)
            raise s.ValidationError({**error.detail, **faults}) from None
        if faults:
            raise s.ValidationError(faults)
        return found

    def _unknown_keys(self, data: Any) -> dict[str, list[s.ErrorDetail]]:
        if not isinstance(data, Mapping):
            return {}
        return {
            key: [s.ErrorDetail(say_expected(shown(key), one_of(self.fields, key)), code="unknown-key")]
            for key in data
            if key not in self.fields
        }
