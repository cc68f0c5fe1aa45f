from __future__ import annotations

from datetime import date, datetime, timedelta, timezone
from decimal import Decimal

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from synapse.notes.note import Scalar, ScalarType
from synapse.notes.yaml_core import PLAIN, YamlError, compose, looks_like_date, plain_scalar

# xsd:dateTime allows 14 hours on either side of UTC.
ZONES = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))


@given(st.integers())
def test_every_integer_is_one(number: int) -> None:
    assert plain_scalar(str(number)) == Scalar(str(number), ScalarType.INTEGER)


@given(st.decimals(allow_nan=False, allow_infinity=False).map(lambda number: f"{number:f}"))
def test_a_number_with_a_point_keeps_its_value(text: str) -> None:
    scalar = plain_scalar(text)
    assert scalar is not None
    assert scalar.type is (ScalarType.DECIMAL if "." in text else ScalarType.INTEGER)
    assert Decimal(scalar.text) == Decimal(text)


@given(st.dates())
def test_every_calendar_date_is_one(day: date) -> None:
    assert plain_scalar(day.isoformat()) == Scalar(day.isoformat(), ScalarType.DATE)


@given(st.datetimes(timezones=st.none() | ZONES))
def test_every_date_time_keeps_its_instant_and_its_zone(instant: datetime) -> None:
    text = instant.isoformat()
    scalar = plain_scalar(text)
    assert scalar is not None
    assert scalar.type is ScalarType.DATE_TIME
    assert datetime.fromisoformat(scalar.text) == instant


@pytest.mark.parametrize(
    "text",
    ["2024-13-01", "2024-02-30", "2024-1-5", "0000-01-01", "2024-01-15T25:00", "2024-01-15T10:30+15:00"],
)
def test_what_is_no_date_of_the_calendar_stays_text_and_looks_like_a_date(text: str) -> None:
    scalar = plain_scalar(text)
    assert scalar == Scalar(text)
    assert looks_like_date(scalar)


@pytest.mark.parametrize(
    "text", ["yes", "no", "on", "off", "12:30", "0123", "1_000", "0x1F", "0o17", "1.2.3", "-", "١٢"]
)
def test_what_yaml_1_1_would_change_stays_text(text: str) -> None:
    assert plain_scalar(text) == Scalar(text)


@pytest.mark.parametrize("text", ["", "~", "null", "Null", "NULL"])
def test_null_is_no_value(text: str) -> None:
    assert plain_scalar(text) is None


@given(st.text())
def test_any_text_is_a_scalar(text: str) -> None:
    plain_scalar(text)


@given(st.text())
def test_any_text_composes_to_a_node_or_an_error(text: str) -> None:
    root = compose(text)
    assert root is None or isinstance(root, yaml.Node | YamlError)


@pytest.mark.parametrize(
    "text", ["[" * 5000, "- " * 5000, "{a: " * 5000, "a: &a [*b]", "%YAML 9.9\n---\na", "\ud83d"]
)
def test_hostile_yaml_is_an_error_value(text: str) -> None:
    assert isinstance(compose(text), YamlError)


def test_an_error_names_its_line_from_zero() -> None:
    assert compose("a: 1\nb: c: d\n") == YamlError("mapping values are not allowed in this context", 1)


def test_quotes_and_tags_tell_a_typed_scalar_from_text() -> None:
    root = compose("a: 1\nb: '1'\nc: !!str 1\n")
    assert isinstance(root, yaml.MappingNode)
    assert [value.tag == PLAIN for _, value in root.value] == [True, False, False]
