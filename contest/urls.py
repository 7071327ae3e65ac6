from __future__ import annotations

from django.contrib.auth import views as auth
from django.urls import include, path

from contest.forms.accounts import LogInForm
from contest.views import (
    accounts,
    attacks,
    boards,
    contests,
    datasets,
    entries,
    health,
    methods,
    teams,
    tokens,
    trust,
)
from contest.views.organise import new

ROUND = "contests/<slug:slug>/<slug:round_slug>/"

urlpatterns = [
    path("", contests.home, name="home"),
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("metrics", health.metrics, name="metrics"),
    path("signup/", accounts.signup, name="signup"),
    path("login/", auth.LoginView.as_view(authentication_form=LogInForm), name="login"),
    path("logout/", auth.LogoutView.as_view(), name="logout"),
    path(
        "password/reset/",
        auth.PasswordResetView.as_view(email_template_name="registration/password_reset_email.txt"),
        name="password_reset",
    ),
    path("password/reset/sent/", auth.PasswordResetDoneView.as_view(), name="password_reset_done"),
    path(
        "password/reset/<uidb64>/<token>/",
        auth.PasswordResetConfirmView.as_view(),
        name="password_reset_confirm",
    ),
    path("password/reset/done/", auth.PasswordResetCompleteView.as_view(), name="password_reset_complete"),
    path("join/<str:token>/", teams.join, name="join"),
    path("tokens/", tokens.tokens, name="tokens"),
    path("tokens/<int:token_id>/revoke/", tokens.revoke, name="token_revoke"),
    path("methods/", methods.methods, name="methods"),
    path("kit/reidentify.py", attacks.template_program, name="template_program"),
    path("methods/<slug:kind>/<slug:name>/", methods.method, name="method"),
    path("new/", new.choose, name="contest_new"),
    path("new/bundle/", new.from_bundle, name="contest_from_bundle"),
    path("new/from/<slug:name>/", new.from_preset, name="contest_from_preset"),
    path("contests/<slug:slug>/", contests.contest, name="contest"),
    path("contests/<slug:slug>/organise/", include("contest.views.organise.urls")),
    path("contests/<slug:slug>/changes/", trust.contest_changes, name="changes"),
    path("contests/<slug:slug>/teams/archive/", trust.archive_consent, name="archive_consent"),
    path("contests/<slug:slug>/teams/new/", teams.create, name="team_create"),
    path("contests/<slug:slug>/teams/invite/", teams.invite, name="invite"),
    path("contests/<slug:slug>/teams/invitations/<int:invitation_id>/revoke/", teams.revoke, name="revoke"),
    path("contests/<slug:slug>/teams/<int:team_id>/", teams.team, name="team"),
    path(ROUND, boards.leaderboard, name="leaderboard"),
    path(f"{ROUND}rules/", contests.rules, name="rules"),
    path(f"{ROUND}hashes/", trust.hashes, name="hashes"),
    path(f"{ROUND}hashes/verify/", trust.verify_hashes, name="verify_hashes"),
    path(f"{ROUND}data/", datasets.dataset, name="dataset"),
    path(f"{ROUND}data/<str:name>", datasets.download, name="dataset_download"),
    path(f"{ROUND}upload/", entries.upload, name="upload"),
    path(f"{ROUND}matrix/", attacks.matrix_page, name="matrix"),
    path(f"{ROUND}seek/", attacks.seek, name="seek"),
    path(f"{ROUND}seek/targets.zip", attacks.targets, name="targets"),
    path(f"{ROUND}seek/guesses/", attacks.submit_guesses, name="guesses"),
    path(f"{ROUND}seek/program/", attacks.submit_program, name="program"),
    path(f"{ROUND}attacks/<int:attack_id>/", attacks.attack, name="attack"),
    path(f"{ROUND}entries/<int:entry_id>/", entries.entry, name="entry"),
    path(f"{ROUND}entries/<int:entry_id>/pin/", entries.pin, name="pin"),
]
