"""What every view of the API shares: who calls, and how lists are cut into pages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, TypeVar

from django import forms
from django.contrib.auth.models import AnonymousUser
from django.db.models import QuerySet
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail
from rest_framework.pagination import PageNumberPagination
from rest_framework.permissions import AllowAny, IsAuthenticated
from rest_framework.response import Response
from rest_framework.views import APIView

from contest import access
from contest.api.authentication import HasScope
from contest.models import ApiToken, User

FormT = TypeVar("FormT", bound=forms.BaseForm)


def valid(form: FormT) -> FormT:
    """A form of the pages that the API reads with; problems are reported by field, as everywhere here."""
    if not form.is_valid():
        found = {
            "non_field_errors" if name == "__all__" else name: [
                ErrorDetail(text, code=error.code or "invalid") for error in errors for text in error.messages
            ]
            for name, errors in form.errors.as_data().items()
        }
        raise serializers.ValidationError(found)
    return form


class Pages(PageNumberPagination):
    page_size = 50
    page_size_query_param = "page_size"
    max_page_size = 200


class PublicView(APIView):
    """A route that visitors may call. `scopes` says what a token must hold for each method."""

    permission_classes = [AllowAny, HasScope]
    pagination_class = Pages
    scopes: ClassVar[dict[str, str]] = {"GET": "read", "POST": "submit", "DELETE": "submit"}

    def scope_of(self, method: str | None) -> str | None:
        return self.scopes.get("GET" if method == "HEAD" else method or "")

    @property
    def viewer(self) -> access.Viewer:
        """Who is asking. Outside its contest a team's token shows what a visitor sees."""
        token = self.request.auth
        if isinstance(token, ApiToken) and token.team_id is not None and "slug" not in self.kwargs:
            return AnonymousUser()
        return self.request.user

    def paged(
        self, rows: Sequence[Any] | QuerySet[Any], shape: type[serializers.Serializer[Any]]
    ) -> Response:
        pages = self.pagination_class()
        page = pages.paginate_queryset(rows, self.request, view=self)
        return pages.get_paginated_response(shape(page, many=True).data)

    def read(self, shape: type[serializers.Serializer[Any]], **context: Any) -> dict[str, Any]:
        """The body, valid by its shape; ``context`` is what the shape needs to know besides."""
        given = shape(data=self.request.data, context=context)
        given.is_valid(raise_exception=True)
        data: dict[str, Any] = given.validated_data
        return data


class MemberView(PublicView):
    """A route for people who are known."""

    permission_classes = [IsAuthenticated, HasScope]

    @property
    def user(self) -> User:
        assert isinstance(self.request.user, User)
        return self.request.user
