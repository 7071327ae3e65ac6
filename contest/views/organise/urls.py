from __future__ import annotations

from django.urls import path

from contest.views.organise import (
    announcements,
    attacks,
    capacity,
    entries,
    house,
    overview,
    rescoring,
    settings,
    teams,
    timeline,
)

urlpatterns = [
    path("", overview.organise, name="organise"),
    path("timeline/", timeline.timeline, name="organise_timeline"),
    path("timeline/<int:phase_id>/<slug:act>/", timeline.move_phase, name="organise_phase"),
    path("timeline/<slug:round_slug>/publish/", timeline.publish, name="organise_publish"),
    path("entries/", entries.entries, name="organise_entries"),
    path("entries/repair/", entries.repair_entries, name="organise_repair"),
    path("rescoring/", rescoring.rescores, name="organise_rescores"),
    path("rescoring/<int:rescore_id>/", rescoring.rescore, name="organise_rescore"),
    path("rescoring/<int:rescore_id>/decide/", rescoring.decide, name="organise_decide"),
    path("rescoring/rounds/<slug:round_slug>/", rescoring.change_limits, name="organise_limits"),
    path("settings/", settings.overview, name="organise_settings"),
    path("settings/contest/", settings.contest_settings, name="organise_contest_settings"),
    path("settings/organisers/", settings.change_organisers, name="organise_organisers"),
    path("settings/rounds/<slug:round_slug>/", settings.round_settings, name="organise_round_settings"),
    path("teams/", teams.teams, name="organise_teams"),
    path("teams/act/", teams.act_on_teams, name="organise_teams_act"),
    path("teams/merge/", teams.merge, name="organise_merge"),
    path("capacity/", capacity.capacity, name="organise_capacity"),
    path("announcements/", announcements.announcements, name="organise_announcements"),
    path("announce/", announcements.publish_announcement, name="announce"),
    path("house/", house.house_entry, name="house_entry"),
    path("house/entries/", house.house_entries, name="organise_house"),
    path("attacks/", attacks.attacks, name="organise_attacks"),
    path("attacks/add/", attacks.add_attack, name="organise_add_attack"),
    path("attacks/<int:attack_id>/", attacks.steer_attack, name="steer_attack"),
    path("rerun/", attacks.rerun_runs, name="rerun"),
]
