from __future__ import annotations

from django.urls import path, re_path

from contest.api import attacks, boards, contests, document, entries, errors, organise, organising, teams

CONTEST = "contests/<slug:slug>/"
ROUND = f"{CONTEST}rounds/<slug:round_slug>/"

urlpatterns = [
    path("schema/", document.schema, name="api-schema"),
    path("docs/", document.docs, name="api-docs"),
    path("me/", teams.Me.as_view(), name="api-me"),
    path("join/", teams.Join.as_view(), name="api-join"),
    path("contests/", contests.Contests.as_view(), name="api-contests"),
    path(CONTEST, contests.ContestDetail.as_view(), name="api-contest"),
    path(f"{CONTEST}announcements/", contests.Announcements.as_view(), name="api-announcements"),
    path(f"{CONTEST}events/", contests.Events.as_view(), name="api-events"),
    path(f"{CONTEST}team/", teams.OwnTeam.as_view(), name="api-team"),
    path(f"{CONTEST}team/invitations/", teams.Invitations.as_view(), name="api-invitations"),
    path(
        f"{CONTEST}team/invitations/<int:invitation_id>/", teams.Invitation.as_view(), name="api-invitation"
    ),
    path(f"{CONTEST}jobs/", organise.Jobs.as_view(), name="api-jobs"),
    path(f"{CONTEST}house-entries/", organise.HouseEntries.as_view(), name="api-house-entries"),
    path(f"{CONTEST}attacks/<int:attack_id>/steer/", organise.Steer.as_view(), name="api-steer"),
    path(f"{CONTEST}rerun/", organise.Rerun.as_view(), name="api-rerun"),
    path(f"{CONTEST}settings/", organising.ContestSettings.as_view(), name="api-contest-settings"),
    path(f"{CONTEST}phases/<int:phase_id>/", organising.PhaseAct.as_view(), name="api-phase"),
    path(f"{CONTEST}repairs/", organising.Repairs.as_view(), name="api-repairs"),
    path(f"{CONTEST}teams/", organising.Teams.as_view(), name="api-teams"),
    path(f"{CONTEST}rescores/<int:rescore_id>/", organising.RescoreDecision.as_view(), name="api-rescore"),
    path(f"{ROUND}settings/", organising.RoundSettings.as_view(), name="api-round-settings"),
    path(f"{ROUND}publish/", organising.Publish.as_view(), name="api-publish"),
    path(f"{ROUND}rescores/", organising.Rescores.as_view(), name="api-rescores"),
    path(f"{ROUND}capacity/", organising.CapacityView.as_view(), name="api-capacity"),
    path(f"{ROUND}history/", boards.History.as_view(), name="api-history"),
    path(f"{ROUND}entries/<int:entry_id>/how/<slug:cell>/", boards.How.as_view(), name="api-how"),
    path(f"{CONTEST}rounds/", contests.Rounds.as_view(), name="api-rounds"),
    path(ROUND, contests.RoundDetail.as_view(), name="api-round"),
    path(f"{ROUND}data/<str:name>", contests.Data.as_view(), name="api-data"),
    path(f"{ROUND}leaderboard/", boards.Leaderboard.as_view(), name="api-leaderboard"),
    path(f"{ROUND}matrix/", boards.MatrixView.as_view(), name="api-matrix"),
    path(f"{ROUND}attackers/", boards.Attackers.as_view(), name="api-attackers"),
    path(f"{ROUND}entries/", entries.Entries.as_view(), name="api-entries"),
    path(f"{ROUND}entries/check/", entries.EntryCheck.as_view(), name="api-entry-check"),
    path(f"{ROUND}entries/<int:entry_id>/", entries.EntryDetail.as_view(), name="api-entry"),
    path(f"{ROUND}entries/<int:entry_id>/pin/", entries.Pin.as_view(), name="api-pin"),
    path(f"{ROUND}targets/", attacks.Targets.as_view(), name="api-targets"),
    path(f"{ROUND}targets.zip", attacks.TargetsArchive.as_view(), name="api-targets-archive"),
    path(f"{ROUND}attacks/", attacks.Attacks.as_view(), name="api-attacks"),
    path(f"{ROUND}attacks/<int:attack_id>/", attacks.AttackDetail.as_view(), name="api-attack"),
    path(f"{ROUND}guesses/", attacks.Guesses.as_view(), name="api-guesses"),
    path(f"{ROUND}programs/", attacks.Programs.as_view(), name="api-programs"),
    re_path(r"^[\s\S]*$", errors.unknown_address),
]
