"""Reminders between the words of people and tools."""

from prunus.clients.system_reminders import (
    has_reminder,
    last_reminder,
    reminder,
    without_last_reminders,
    without_reminders,
    without_tokens_left,
)

TOKENS = reminder("<total_tokens>9 tokens left</total_tokens>")


def test_reminders_go_and_the_words_around_them_stay() -> None:
    text = "a <system-reminder>x</system-reminder>\nb<system-reminder>y"
    assert without_reminders(text) == "a \nb<system-reminder>y"


def test_only_reminders_at_the_end_are_taken_off_the_end() -> None:
    assert without_last_reminders(f"a {reminder('x')} b\n\n{reminder('y')}\n{reminder('z')}\n") == (
        f"a {reminder('x')} b"
    )
    assert without_last_reminders("a</system-reminder>") == "a</system-reminder>"


def test_the_last_reminder_is_found_behind_a_result() -> None:
    assert last_reminder(f"a\n{reminder('x')}\n{reminder('y')}") == reminder("y")
    assert last_reminder(f"{reminder('x')} a") == ""
    assert has_reminder(f"{reminder('x')} a")


def test_the_count_of_tokens_goes_and_other_reminders_stay() -> None:
    assert without_tokens_left(f"a\n\n{TOKENS}") == "a"
    assert without_tokens_left(f"a {reminder('x')}") == f"a {reminder('x')}"
