import base64
import importlib.util
import os
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prunus import tokens
from prunus.errors import SettingsError
from prunus.tokens import BASE64_RATE, Counter, attachment_tokens, cut_base64, estimate

needs_splintr = pytest.mark.skipif(
    importlib.util.find_spec("splintr") is None, reason="exact counts need prunus[tokens]"
)
any_text = st.text(st.characters())  # lone surrogates included
class_runs = st.lists(st.tuples(st.sampled_from("aQ7 \n\t-=é→─жक漢한🙂"), st.integers(1, 40)), max_size=30).map(
    lambda runs: "".join(letter * times for letter, times in runs)
)
PROSE = "The gardener counted nine trees, wrote the number down and went home before the rain.\n"
CODE = 'def total(rows):\n    return sum(row["price"] * 1.25 for row in rows if row.get("id") != 40)\n'


def blob(size: int) -> str:
    return base64.b64encode(random.Random(size).randbytes(size)).decode()


def raw_total(text: str) -> float:
    data = text.encode("utf-8", "surrogatepass")
    count = data.translate(tokens.CLASSES).count
    rates = {**tokens.RATES, **tokens.SCRIPT_RATES}
    return tokens.PER_BYTE * len(data) + sum(rate * count(pattern) for pattern, rate in rates.items())


def test_empty_text_costs_nothing() -> None:
    assert estimate("") == 0
    assert Counter().count("") == 0


@given(any_text | class_runs)
def test_any_other_text_costs_at_least_one(text: str) -> None:
    assert estimate(text) >= (1 if text else 0)


@given(any_text | class_runs)
def test_rates_never_sum_below_zero(text: str) -> None:
    assert raw_total(text) >= 0


@given(any_text | class_runs, any_text | class_runs)
def test_joined_texts_cost_about_their_sum(left: str, right: str) -> None:
    assert abs(estimate(left + right) - estimate(left) - estimate(right)) <= 8


def test_text_repeated_costs_its_multiple() -> None:
    assert estimate(CODE * 500) == pytest.approx(500 * raw_total(CODE), rel=0.01)


def test_cutting_the_middle_of_an_output_shrinks_the_estimate() -> None:
    output = CODE * 100
    assert estimate(output[:2_000] + "\n[middle removed]\n" + output[-2_000:]) < estimate(output) / 2


@needs_splintr
@pytest.mark.parametrize(
    ("text", "tolerance"),
    [
        (PROSE * 20, 0.15),
        (CODE * 20, 0.20),
        ("Программа читает файл и ждёт новых данных.\n" * 20, 0.35),
        ("程序读取文件并等待新的数据。\n" * 20, 0.35),
        (", ".join(str(n * 7919 % 1_009) for n in range(500)), 0.15),
    ],
    ids=["prose", "code", "russian", "chinese", "numbers"],
)
def test_estimate_is_near_the_exact_count(text: str, tolerance: float) -> None:
    assert estimate(text) == pytest.approx(Counter(exact=True).count(text), rel=tolerance)


def test_base64_has_a_rate_of_its_own() -> None:
    data = blob(30_000)
    text = PROSE + "data:image/png;base64," + data + "\n" + PROSE
    rest, length = cut_base64(text)
    assert rest == PROSE + "data:image/png;base64,\n" + PROSE
    assert length == len(data)
    assert estimate(text) == pytest.approx(estimate(rest) + BASE64_RATE * length, abs=1)


def test_padding_goes_with_its_base64() -> None:
    data = blob(1_000)
    assert data.endswith("==")
    assert cut_base64(data) == ("", len(data))


def test_two_base64_runs_are_both_cut() -> None:
    assert cut_base64(f"a {blob(600)} b {blob(900)} c") == ("a  b  c", len(blob(600)) + len(blob(900)))


@pytest.mark.parametrize(
    "text",
    [blob(300), "-" * 2_000, "=" * 2_000, "a" * 2_000, "0123456789abcdef" * 100, PROSE * 50, "é" * 2_000],
    ids=["short base64", "dashes", "equals", "one letter", "hexadecimal", "prose", "accents"],
)
def test_text_that_is_no_long_base64_stays(text: str) -> None:
    assert cut_base64(text) == (text, 0)


def test_a_rule_costs_less_than_prose_of_its_length() -> None:
    assert estimate("=" * 2_000) < estimate("tree bird " * 200) / 3


@pytest.mark.parametrize(
    ("media_type", "length", "expected"),
    [
        ("image/png", 0, 0),
        ("image/png", 400, 85),
        ("image/jpeg", 190_000, 750),
        ("image/jpeg", 8_000_000, 1_600),
        ("text/plain", 4_000, 750),
        ("application/pdf", 4_000, 3_000),
        ("application/pdf", 160_000, 6_000),
        ("application/pdf", 40_000_000, 300_000),
        ("audio/mpeg", 400_000, 600),
        ("application/octet-stream", 160_000, 6_000),
        ("", 160_000, 6_000),
    ],
)
def test_attachments_cost_by_kind_and_size(media_type: str, length: int, expected: int) -> None:
    assert attachment_tokens(media_type, length) == expected


@given(st.sampled_from(["image/png", "text/csv", "application/pdf", "audio/wav"]), st.integers(0, 10**8))
def test_a_longer_attachment_never_costs_less(media_type: str, length: int) -> None:
    assert 0 <= attachment_tokens(media_type, length) <= attachment_tokens(media_type, length + 1_000)


@given(any_text)
def test_counter_without_exact_is_the_estimate(text: str) -> None:
    counter = Counter()
    for sample in (text, text * 50, text * 50):
        assert counter.count(sample) == estimate(sample)


def test_cache_is_bounded_and_drops_the_longest_unused() -> None:
    counter = Counter(remember=3)
    texts = [f"{n} {PROSE * 5}" for n in range(4)]
    for text in (*texts[:3], texts[0], texts[3]):
        counter.count(text)
    kept = [key[0] for key in counter._counts]
    assert kept == [hash(texts[2]), hash(texts[0]), hash(texts[3])]


def test_cache_answers_with_the_remembered_count() -> None:
    counter = Counter()
    counter.count(CODE * 5)
    (key,) = counter._counts
    counter._counts[key] = 12_345
    assert counter.count("".join([CODE] * 5)) == 12_345


def test_short_texts_are_not_remembered() -> None:
    counter = Counter()
    counter.count("[src/app.py was rewritten later]")
    assert not counter._counts


def test_threads_share_a_counter() -> None:
    counter = Counter(remember=5)
    texts = [f"{n} {CODE * (5 + n % 20)}" for n in range(40)]
    with ThreadPoolExecutor(8) as pool:
        counts = list(pool.map(counter.count, texts * 25))
    assert counts == [estimate(text) for text in texts] * 25
    assert len(counter._counts) == 5


@needs_splintr
@given(st.text())
def test_exact_count_is_that_of_the_tokenizer(text: str) -> None:
    import splintr

    encode = splintr.Tokenizer.from_pretrained("cl100k_base").encode_ordinary
    assert Counter(exact=True, encoding="cl100k_base").count(text) == len(encode(text))


@needs_splintr
def test_exact_count_reads_special_tokens_as_text() -> None:
    assert Counter(exact=True).count("<|endoftext|>") > 1


@needs_splintr
def test_exact_count_takes_lone_surrogates() -> None:
    assert Counter(exact=True).count("half \ud83d of a pair") >= 5


@needs_splintr
def test_exact_count_leaves_base64_to_its_rate() -> None:
    data = blob(30_000)
    assert Counter(exact=True).count(data) == round(BASE64_RATE * len(data))


@needs_splintr
def test_unknown_encoding_is_a_settings_error() -> None:
    with pytest.raises(SettingsError, match="no_such_encoding"):
        Counter(exact=True, encoding="no_such_encoding")


def test_missing_tokenizer_is_a_settings_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "splintr", None)  # Python's own way to make an import fail
    with pytest.raises(SettingsError, match=r"prunus\[tokens\]"):
        Counter(exact=True)


def test_the_estimate_does_not_import_the_tokenizer() -> None:
    script = "import sys, prunus.tokens as t; t.Counter().count('a'); sys.exit('splintr' in sys.modules)"
    environment = {"PYTHONPATH": os.pathsep.join(sys.path)}
    assert subprocess.run([sys.executable, "-c", script], env=environment, check=False).returncode == 0
