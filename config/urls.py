from __future__ import annotations

from django.urls import include, path

handler500 = "contest.views.errors.our_fault"

urlpatterns = [
    path("api/v1/", include("contest.api.urls")),
    path("", include("contest.urls")),
]
