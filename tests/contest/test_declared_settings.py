"""The law over every declared setting: page, API and bundle accept the same values, and refuse alike."""

from __future__ import annotations

import ast
import datetime
import math
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from django import forms
from django.core.management import call_command
from django.db import connection
from django.http import QueryDict

from contest.api.organiser_serializers import ContestFields, LimitOrder, NewPhase, RoundFields, RoundOrder
from contest.bundle.check import check_bundle
from contest.bundle.declared import PLAIN, ROUND
from contest.declarations.contest import CONTEST
from contest.declarations.phase import ENDS_AT, FIRST, KINDS, LAST, PHASE, STARTS_AT
from contest.declarations.round import AT_THE_REVEAL, FEEDBACK, IN_BANDS, NAMED
from contest.forms.organise import LimitsForm
from contest.forms.setting_fields import MomentField
from contest.forms.settings import ContestSettingsForm, NewRoundForm, RoundSettingsForm
from contest.language.refusals import say_expected
from contest.management.setting_files import CONSEQUENCES, GROUPS
from contest.models import Contest, Dataset, Phase, Round
from contest.models.round import Feedback
from datasets.documents import name_of
from datasets.setting import Setting
from games.formats.presets import preset_text
from games.shop.data.rules import RULES, FileRules
from games.shop.formats import FORMATS
from games.shop.limit_settings import LIMIT, measure_setting
from tests.conftest import ROOT

Case = tuple[Any, bool]
OF_FORMAT = [(rule, spec.name) for spec in FORMATS for rule in RULES if rule.name in spec.rules]
SECOND = datetime.timedelta(seconds=1)


def cases(setting: Setting) -> Iterator[Case]:
    """Values at the bounds and just outside, of a wrong type, and none; and whether they are good."""
    yield None, setting.is_optional
    yield [1], False
    if setting.kind in ("integer", "number"):
        least, most = setting.bounds
        step = 1 if setting.kind == "integer" else None
        below, above = (
            (least - step, most + step)
            if step
            else (math.nextafter(least, -math.inf), math.nextafter(most, math.inf))
        )
        yield from [(least, True), (most, True), (below, False), (above, False), ("banana", False)]
        yield from [(True, False)] if setting.kind == "number" else [(True, False), (least + 0.5, False)]
        yield 10**400, False
    elif setting.kind == "flag":
        yield from [(True, True), (False, True), ("banana", False), (1, False)]
    elif setting.kind == "choice":
        yield from [(value, True) for value in setting.values]
        yield from [("banana", False), (7, False)]
    elif setting.kind == "text":
        yield from [("x", True), ("x" * setting.length, True), ("x" * (setting.length + 1), False)]
        yield from [("", setting.may_be_blank), (7, False), ("a\0b", False)]
        unseen, mixed = "Hide\u202eand seek", "p\u0430ypal cup"
        yield from [(unseen, False), (mixed, False), ("第１回：決勝", True)] if setting.named else []
    elif setting.kind == "lines":
        track = "student | Students | 学生"
        yield from [("", True), (track, True), (f"\n {track} \n\n", True), ("x", False), ("a\0b", False)]
        yield from [(f"{track}\n{track}", False), ("x" * (setting.length + 1), False), (7, False)]
    elif setting.kind == "moment":
        # A board stands still within its round; what is of the contest may be at any time.
        begins = datetime.datetime.fromisoformat(document()["rounds"][0]["phases"]["anonymise"]["from"])
        good = (begins,) if setting.name == "board_frozen_at" else (FIRST, LAST)
        yield from [(moment.isoformat(), True) for moment in good]
        yield from [(moment.isoformat(), False) for moment in (FIRST - SECOND, LAST + SECOND)]
        yield from [("banana", False), ("2027-02-30T10:00:00+09:00", False), (7, False)]
        yield from [(good[0], True), (FIRST - SECOND, False)]
    elif setting.kind == "slug":
        yield from [("A", True), ("a-_9" * 12 + "xy", True), ("a-_9" * 12 + "xyz", False), ("a b", False)]
        yield from [(word, False) for word in sorted(setting.reserved)]
        yield from [("", False), (7, False)]
    elif setting.kind == "zone":
        yield from [("Asia/Tokyo", True), ("Mars/Phobos", False), ("../etc/passwd", False), (7, False)]


def typed(setting: Setting, value: Any) -> str | None:
    """What somebody types for this value; None where a page has no way to say it."""
    if setting.kind == "flag" or isinstance(value, list):
        return None
    if setting.kind in ("text", "lines", "slug", "moment") and not isinstance(value, str | datetime.datetime):
        return None
    if isinstance(value, datetime.datetime):
        return value.astimezone(Contest(time_zone="Asia/Tokyo").zone).isoformat()[:19]
    if setting.shown_in > 1 and type(value) in (int, float) and abs(value) < 1e300:
        return repr(value / setting.shown_in)
    return "" if value is None else str(value)


def make_subjects(format_name: str = "2016") -> tuple[Contest, Round]:
    contest = Contest(slug="demo", title="Demo", summary="A contest.", time_zone="Asia/Tokyo")
    contest.settings_version = 1
    round_ = Round(contest=contest, slug="final", name="Final", seed=7, dataset=Dataset(format=format_name))
    return contest, round_


def page_faults(setting: Setting, text: str, format_name: str = "2016") -> list[str]:
    """What the form of a page says of a value, where all others are as they were."""
    contest, round_ = make_subjects(format_name)
    subject, make = (contest, ContestSettingsForm) if setting in CONTEST else (round_, RoundSettingsForm)
    shown = make(subject)
    data = {field.name: "" if field.value() is None else field.value() for field in shown}
    form = make(subject, {**data, "reason": "why not", setting.name: text})
    form.is_valid()
    assert set(form.errors) <= {setting.name}
    return list(form.errors.get(setting.name, []))


def api_faults(setting: Setting, value: Any, format_name: str = "2016") -> list[str]:
    """What the API says of a value."""
    _contest, round_ = make_subjects(format_name)
    if setting in RULES:
        given = RoundFields(data={"file_rules": {setting.name: value}}, context={"round": round_})
        given.is_valid()
        found: Any = given.errors.get("file_rules", {})
    else:
        given = (ContestFields if setting in CONTEST else RoundFields)(data={setting.name: value})
        given.is_valid()
        found = given.errors
    assert set(found) <= {setting.name}
    return [str(text) for text in found.get(setting.name, [])]


def document(format_name: str = "2016") -> dict[str, Any]:
    """The bundle of a small contest, with a single round that counts."""
    loaded: dict[str, Any] = yaml.safe_load(preset_text(f"pwscup{format_name}"))
    loaded["rounds"] = loaded["rounds"][-1:]
    for span in loaded["rounds"][0]["phases"].values():
        span |= {key: value.isoformat() for key, value in span.items() if not isinstance(value, str)}
    for source in loaded["data"].values():
        source["generate"]["customers"] = 12
    return loaded


def bundle_faults(setting: Setting, value: Any, format_name: str = "2016") -> list[str]:
    """What the check of a bundle says of a value, as page and API say it."""
    content = document(format_name)
    path: tuple[str | int, ...] = () if setting in CONTEST else ("rounds", 0)
    path += ("rules",) if setting in RULES else ()
    path += setting.place
    node: Any = content
    for key in path[:-1]:
        node = node[key] if isinstance(key, int) else node.setdefault(key, {})
    node[path[-1]] = value.isoformat() if isinstance(value, datetime.datetime) else value
    problems = check_bundle(yaml.safe_dump(content, allow_unicode=True)).problems
    assert {problem.key for problem in problems} <= {name_of(path)}
    return [say_expected(problem.got or "", problem.expected) for problem in problems]


@pytest.mark.parametrize("setting", [*CONTEST, *ROUND], ids=lambda it: it.name)
def test_page_api_and_bundle_give_the_same_verdict(setting: Setting) -> None:
    for value, good in cases(setting):
        require_same_verdict(setting, value, good, "2016")


@pytest.mark.parametrize(("rule", "format_name"), OF_FORMAT, ids=lambda it: getattr(it, "name", it))
def test_file_rules_are_the_same_everywhere_too(rule: Setting, format_name: str) -> None:
    for value, good in cases(rule):
        require_same_verdict(rule, value, good, format_name)


def require_same_verdict(setting: Setting, value: Any, good: bool, format_name: str) -> None:
    said = [api_faults(setting, value, format_name), bundle_faults(setting, value, format_name)]
    text = typed(setting, value)
    if text is not None:
        said.append(page_faults(setting, text, format_name))
    assert [not faults for faults in said] == [good] * len(said), (setting.name, str(value)[:60], said)
    words_matter = not good and value not in (None, "", "a\0b") and type(value) in (int, float, str)
    if words_matter and setting.shown_in == 1:
        assert len({faults[0] for faults in said}) == 1, said


@pytest.mark.parametrize("spec", FORMATS, ids=lambda it: it.name)
def test_a_rule_of_another_format_may_be_sent_but_not_changed(spec: Any) -> None:
    _contest, round_ = make_subjects(spec.name)
    for rule in RULES:
        if rule.name in spec.rules:
            continue
        other = next(value for value, good in cases(rule) if good and value != rule.default)
        assert api_faults(rule, rule.default, spec.name) == []
        assert api_faults(rule, other, spec.name)
        content = document(spec.name)
        content["rounds"][0].setdefault("rules", {})[rule.place[0]] = other
        problems = check_bundle(yaml.safe_dump(content)).problems
        assert [problem.code for problem in problems] == ["rule-of-another-format"]
        assert rule.name not in RoundSettingsForm(round_).fields
    unknown = RoundFields(data={"file_rules": {"banana": True}}, context={"round": round_})
    assert not unknown.is_valid()


@pytest.mark.parametrize("setting", [STARTS_AT, ENDS_AT], ids=lambda it: it.name)
@pytest.mark.parametrize("outside", [False, True])
def test_times_of_phases_are_the_same_everywhere(setting: Setting, outside: bool) -> None:
    span = {"starts_at": FIRST, "ends_at": LAST}
    if outside:
        span[setting.name] += SECOND if setting is ENDS_AT else -SECOND
    content = document()
    times = {"from": span["starts_at"].isoformat(), "until": span["ends_at"].isoformat()}
    content["rounds"][0]["phases"] = {"anonymise": times}
    order = NewPhase(data={"version": 1, "kind": "attack", "reason": "x", **span})
    zone = Contest(time_zone="Asia/Tokyo").zone
    form = forms.Form({setting.name: span[setting.name].astimezone(zone).isoformat()[:19]})
    form.fields[setting.name] = MomentField(setting, zone)
    verdicts = [check_bundle(yaml.safe_dump(content)).ok, order.is_valid(), form.is_valid()]
    assert verdicts == [not outside] * 3


@pytest.mark.parametrize("text", ["banana", "", "2027-02-30T10:00"])
def test_what_is_no_time_is_refused_everywhere(text: str) -> None:
    content = document()
    content["rounds"][0]["phases"]["anonymise"]["from"] = text
    assert not check_bundle(yaml.safe_dump(content)).ok
    order = NewPhase(data={"version": 1, "kind": "attack", "starts_at": text, "reason": "x"})
    assert not order.is_valid() and "starts_at" in order.errors
    with pytest.raises(forms.ValidationError):
        MomentField(STARTS_AT, Contest(time_zone="Asia/Tokyo").zone).clean(text)


@pytest.mark.parametrize("spec", FORMATS, ids=lambda it: it.name)
def test_limits_are_the_same_everywhere(spec: Any) -> None:
    """On every measure of the format and on none of another; any finite number."""
    _contest, round_ = make_subjects(spec.name)
    measures = measure_setting(spec.name).values
    for name in measure_setting().values:
        order = LimitOrder(data={"measure": name, "limit": 1}, context={"format": spec.name})
        form = LimitsForm(round_, {"measure": name, "operator": "<=", "limit": "1", "reason": "x"})
        content = document(spec.name)
        content["rounds"][0]["limits"] = [{"measure": name, "at-most": 1}]
        verdicts = [order.is_valid(), form.is_valid(), check_bundle(yaml.safe_dump(content)).ok]
        assert verdicts == [name in measures] * 3, name
    for value, good in cases(LIMIT):
        order = LimitOrder(data={"measure": measures[0], "limit": value}, context={"format": spec.name})
        content = document(spec.name)
        content["rounds"][0]["limits"] = [{"measure": measures[0], "at-least": value}]
        verdicts = [order.is_valid(), check_bundle(yaml.safe_dump(content)).ok]
        if value is not None and not isinstance(value, list):
            given = {"measure": measures[0], "operator": "<=", "limit": str(value), "reason": "x"}
            verdicts.append(LimitsForm(round_, given).is_valid())
        assert verdicts == [good] * len(verdicts), value


@pytest.mark.parametrize("setting", [*CONTEST, *ROUND], ids=lambda it: it.name)
def test_what_a_bundle_lacks_is_refused_or_at_its_default(setting: Setting) -> None:
    content = document()
    node: Any = content if setting in CONTEST else content["rounds"][0]
    for key in setting.place[:-1]:
        node = node.setdefault(key, {})
    node.pop(setting.place[-1], None)
    checked = check_bundle(yaml.safe_dump(content))
    assert checked.ok != setting.is_required
    if checked.bundle is None:
        return
    subject = checked.bundle if setting in CONTEST else checked.bundle.rounds[0]
    found = subject.settings.get(setting.name, getattr(subject, setting.name, None))
    assert found == setting.default


@pytest.mark.parametrize("setting", [*CONTEST, *ROUND], ids=lambda it: it.name)
def test_what_a_change_lacks_stays_as_it_was_on_the_page_and_in_the_api(setting: Setting) -> None:
    require_kept(setting, "2016")


@pytest.mark.parametrize(("rule", "format_name"), OF_FORMAT, ids=lambda it: getattr(it, "name", it))
def test_a_file_rule_that_a_change_lacks_stays_as_it_was(rule: Setting, format_name: str) -> None:
    require_kept(rule, format_name)


def require_kept(setting: Setting, format_name: str) -> None:
    """Neither door takes silence for an answer: the value before is another one than the default."""
    contest, round_ = make_subjects(format_name)
    before = next(
        value for value, good in cases(setting) if good and value not in (None, "", setting.default)
    )
    subject, make, fields = (
        (contest, ContestSettingsForm, ContestFields)
        if setting in CONTEST
        else (round_, RoundSettingsForm, RoundFields)
    )
    if setting in RULES:
        round_.file_rules = {setting.name: before}
    else:
        # A model holds what a door accepted, which of a time is not its text.
        before = setting.checked(before)
        setattr(subject, setting.name, before)
    shown = make(subject)
    data = {field.name: "" if field.value() is None else field.value() for field in shown}
    del data[setting.name]
    form = make(subject, {**data, "reason": "why not"})
    assert form.is_valid(), form.errors
    given = form.given()
    assert (given["file_rules"] if setting in RULES else given)[setting.name] == before
    sent = fields(data={"file_rules": {}} if setting in RULES else {}, context={"round": round_})
    assert sent.is_valid() and setting.name not in {
        **sent.validated_data,
        **sent.validated_data.get("file_rules", {}),
    }


def test_a_box_is_sent_unticked_too() -> None:
    _contest, round_ = make_subjects()
    flags = [setting.name for setting in (*ROUND, *RULES) if setting.kind == "flag"]
    form = RoundSettingsForm(round_)
    for name in set(flags) & set(form.fields):
        assert f'type="hidden" name="{name}" value="false"' in str(form[name])
        sent = QueryDict(mutable=True)
        sent.setlist(name, ["false"])
        assert form.fields[name].widget.value_from_datadict(sent, {}, name) is False
        sent.setlist(name, ["false", "on"])
        assert form.fields[name].widget.value_from_datadict(sent, {}, name) is True


@pytest.mark.parametrize("setting", NAMED, ids=lambda it: it.name)
def test_a_new_round_needs_the_same_on_the_page_and_in_the_api(db: None, setting: Setting) -> None:
    """Both take everything else from the round that the new one is like; a bundle has the same law above."""
    assert setting.is_required
    order = {
        "version": 1,
        "like": "x",
        "starts_at": "2027-08-01T10:00:00Z",
        "name": "N",
        "slug": "s",
        "reason": "x",
    }
    del order[setting.name]
    sent = RoundOrder(data=order)
    assert not sent.is_valid() and list(sent.errors) == [setting.name]
    form = NewRoundForm(Contest.objects.create(slug="demo", title="Demo", time_zone="Asia/Tokyo"), order)
    assert not form.is_valid() and setting.name in form.errors


@pytest.mark.parametrize("setting", [*CONTEST, *PLAIN], ids=lambda it: it.name)
def test_the_model_has_the_column_its_default_and_room_for_all_values(setting: Setting) -> None:
    model = Contest if setting in CONTEST else Round
    column = model._meta.get_field(setting.name)
    if not setting.is_required:
        assert getattr(model(), setting.name) == setting.default
    if setting.kind == "integer":
        low, high = connection.ops.integer_field_range(column.get_internal_type())
        assert (low or 0) <= setting.bounds[0] and setting.bounds[1] <= (high or math.inf)
    if setting.kind in ("text", "choice") and column.max_length:
        longest = setting.length if setting.kind == "text" else max(map(len, setting.values))
        assert longest <= column.max_length


def test_choices_of_the_models_are_those_declared() -> None:
    (feedback,) = (it for it in ROUND if it.name == "feedback")
    assert feedback.choices == tuple((value, str(label)) for value, label in Feedback.choices)
    assert tuple((value, str(label)) for value, label in Phase.Kind.choices) == KINDS


def test_every_file_rule_is_declared() -> None:
    assert {rule.name: rule.default for rule in RULES} == vars(FileRules())
    assert {name for spec in FORMATS for name in spec.rules} == {rule.name for rule in RULES}


def test_schema_and_documentation_are_up_to_date() -> None:
    call_command("declarations", "--check")


def test_every_consequence_is_explained() -> None:
    named = {what for _title, _about, settings in GROUPS for it in settings for what in it.on_change}
    assert named == set(CONSEQUENCES)
    assert {it.name for _title, _about, settings in GROUPS for it in settings} > {it.name for it in PHASE}


def test_what_teams_are_told_is_declared_once() -> None:
    """The values and labels of feedback were written out in the model and in the rule on phases as well."""
    declared = {text for value_and_label in FEEDBACK for text in value_and_label} - {IN_BANDS, AT_THE_REVEAL}
    again = {
        (path.relative_to(ROOT).as_posix(), node.value)
        for path in (ROOT / "contest").rglob("*.py")
        if not {"migrations", "declarations"} & set(path.parts)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and node.value in declared
    }
    assert again == set()
    assert [(value, str(label)) for value, label in Feedback.choices] == list(FEEDBACK)
