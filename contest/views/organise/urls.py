from __future__ import annotations

from django.urls import path

from contest.views.organise import announcements, attacks, entries, house, overview, rescoring, timeline

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
    path("announcements/", announcements.announcements, name="organise_announcements"),
    path("announce/", announcements.publish_announcement, name="announce"),
    path("house/", house.house_entry, name="house_entry"),
    path("house/entries/", house.house_entries, name="organise_house"),
    path("attacks/", attacks.attacks, name="organise_attacks"),
    path("attacks/<int:attack_id>/", attacks.steer_attack, name="steer_attack"),
    path("rerun/", attacks.rerun_runs, name="rerun"),
]
