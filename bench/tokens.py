"""Fit the token estimate and score it on projects the fit never saw.

    python bench/tokens.py [folder of sessions]

Blocks are all strings of 200 characters and more in the sessions, and tool inputs as
JSON, each counted once. Projects are split in two by a hash of their name: one half
fits, the other is scored. The reference is o200k_base (`prunus[tokens]`).
"""

import base64
import gzip
import hashlib
import json
import random
import re
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from usage import show_help

from prunus import tokens

SESSIONS = Path(__file__).resolve().parent.parent / "../shared/corpus/dev"
SHORTEST = 200
PATTERNS = tuple(tokens.RATES)
NUMBERED = re.compile(r"\s*\d+[\t→|:]")

SENTENCES = {
    "g": "Программа читает файл, находит ошибку и записывает результат в журнал. Затем она ждёт данных. "
    "Αυτή η εφαρμογή διαβάζει αρχεία και γράφει κάθε αποτέλεσμα. Μετά περιμένει νέα δεδομένα. "
    "يقرأ البرنامج الملف ويكتب النتيجة في السجل. ثم ينتظر بيانات جديدة.",
    "i": "प्रोग्राम फ़ाइल पढ़ता है और परिणाम लॉग में लिखता है। फिर वह नए डेटा की प्रतीक्षा करता है। "
    "โปรแกรมอ่านไฟล์และเขียนผลลัพธ์ลงในบันทึก แล้วรอข้อมูลใหม่",
    "j": "程序读取文件时发现错误并将结果写入日志。然后它等待新的数据。"
    "プログラムはファイルを読み込み、結果をログに書き込みます。その後、新しいデータを待ちます。",
    "k": "프로그램이 파일을 읽고 결과를 로그에 기록합니다. 그런 다음 새 데이터를 기다립니다.",
}


@dataclass(frozen=True, slots=True)
class Block:
    """One text, where it came from and what it costs."""

    agent: str
    project: str
    text: str
    tokens: int

    @property
    def kind(self) -> str:
        """What the text looks like, by a rough rule."""
        if self.text.lstrip()[:1] in ("{", "["):
            return "json"
        if NUMBERED.match(self.text):
            return "numbered lines"
        if sum(map(self.text.count, "{}()[];=<>/_")) * 50 < len(self.text):
            return "prose"
        return "code, logs"

    @property
    def fits(self) -> bool:
        """Whether its project belongs to the half that fits."""
        return hashlib.blake2b(self.project.encode()).digest()[0] % 2 == 1


def strings(value: Any) -> Iterator[str]:
    """All long strings of a JSON value, and tool inputs as the JSON a model sees."""
    match value:
        case str():
            yield value
        case list():
            for item in value:
                yield from strings(item)
        case dict():
            for key, item in value.items():
                if key in ("input", "arguments", "args") and isinstance(item, dict):
                    yield json.dumps(item)
                else:
                    yield from strings(item)


def documents(raw: str) -> Iterator[Any]:
    """The JSON values of a session file: one document or one per line."""
    try:
        yield json.loads(raw)
    except ValueError:
        for line in raw.splitlines():
            try:
                yield json.loads(line)
            except ValueError:
                continue


def blocks(folder: Path, count: Callable[[str], int]) -> list[Block]:
    """Every distinct long text of the sessions, without base64 runs."""
    found: dict[str, Block] = {}
    for entry in sorted(json.loads((folder / "MANIFEST.json").read_text()), key=lambda entry: entry["file"]):
        raw = gzip.decompress((folder / entry["file"]).read_bytes()).decode()
        for document in documents(raw):
            for text in strings(document):
                if len(text) >= SHORTEST and text not in found and not tokens.cut_base64(text)[1]:
                    found[text] = Block(entry["format"], entry["source_repo"], text, count(text))
    return list(found.values())


def features(text: str) -> list[int]:
    """Bytes, then the occurrences of each pattern."""
    data = text.encode("utf-8", "surrogatepass")
    return [len(data), *map(data.translate(tokens.CLASSES).count, PATTERNS)]


def plain(text: str) -> bool:
    """Whether a text has no script with a rate of its own."""
    classes = text.encode("utf-8", "surrogatepass").translate(tokens.CLASSES)
    return not any(script in classes for script in tokens.SCRIPT_RATES)


def solve(matrix: list[list[float]], right: list[float]) -> list[float]:
    """Gaussian elimination with pivoting."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    size = len(rows)
    for i in range(size):
        pivot = max(range(i, size), key=lambda r: abs(rows[r][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for r in range(size):
            if r != i:
                factor = rows[r][i] / rows[i][i]
                rows[r] = [a - factor * b for a, b in zip(rows[r], rows[i], strict=True)]
    return [rows[i][size] / rows[i][i] for i in range(size)]


def fit(sample: list[Block]) -> list[float]:
    """Weighted least squares: near relative error, and no project drowns the rest."""
    sizes = Counter(block.project for block in sample)
    width = len(PATTERNS) + 1
    matrix = [[0.0] * width for _ in range(width)]
    right = [0.0] * width
    for block in sample:
        weight = block.tokens**-1.5 * sizes[block.project] ** -0.5
        row = features(block.text)
        for i, value in enumerate(row):
            if value:
                right[i] += weight * value * block.tokens
                for j in range(width):
                    matrix[i][j] += weight * value * row[j]
    return solve(matrix, right)


def score(name: str, sample: list[Block], counter: Callable[[str], float]) -> None:
    """Print total error and the spread of block errors."""
    guesses = [counter(block.text) for block in sample]
    errors = sorted(abs(guess / block.tokens - 1) for guess, block in zip(guesses, sample, strict=True))
    whole = sum(block.tokens for block in sample)
    p50, p90 = errors[len(errors) // 2], errors[len(errors) * 9 // 10]
    print(
        f"  {name:26} {len(sample):6,} blocks {whole:10,} tokens  total {sum(guesses) / whole - 1:+6.1%}"
        f"  p50 {p50:5.1%}  p90 {p90:5.1%}  max {errors[-1]:5.0%}"
    )


def compare(name: str, sample: list[Block]) -> None:
    """Score the estimate, and characters / 4 beside it."""
    score(name, sample, tokens.estimate)
    score("  characters / 4", sample, lambda text: len(text) / 4)


def speed(texts: list[str]) -> None:
    """Print the rate on long texts and the time for a note and a cache hit."""
    long = "\n".join(texts)[:4_000_000]
    note = "[src/app.py was rewritten later: see it]"
    size = len(long.encode())

    def best(call: Callable[[str], int], text: str, times: int) -> float:
        def once() -> float:
            start = time.process_time()
            for _ in range(times):
                call(text)
            return (time.process_time() - start) / times

        return min(once() for _ in range(5))

    print(f"  long text {size / best(tokens.estimate, long, 1) / 1e6:.0f} MB/s")
    print(f"  40 characters {best(tokens.estimate, note, 20_000) * 1e6:.2f} us")
    counter = tokens.Counter()
    for length in (256, 1_024, 16_384):
        text = long[:length]
        print(
            f"  {length:6,} characters: estimate {best(tokens.estimate, text, 2_000) * 1e6:7.2f} us,"
            f" remembered {best(counter.count, text, 2_000) * 1e6:5.2f} us,"
            f" hash of a fresh copy {best(lambda t: hash(t[:-1]), text, 2_000) * 1e6:5.2f} us"
        )


def main() -> None:
    """Fit, compare with the table in the library, and score it."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else SESSIONS
    if not (folder / "MANIFEST.json").exists():
        print(f"skipped: no sessions at {folder}")
        return
    count = tokens.Counter(exact=True, remember=0).count
    everything = blocks(folder, count)
    fitting = [block for block in everything if block.fits and plain(block.text)]
    held_out = [block for block in everything if not block.fits]

    projects = {block.project for block in fitting}
    print(f"fit on {len(fitting):,} blocks of {len(projects)} projects (library's rate in brackets)")
    fitted = fit(fitting)
    shipped = (tokens.PER_BYTE, *tokens.RATES.values())
    for name, rate, ours in zip(("byte", *(p.decode() for p in PATTERNS)), fitted, shipped, strict=True):
        print(f"  {name:14} {rate:+.3f} ({ours:+.3f})")
    for script, sentences in SENTENCES.items():
        byte, *rates = features(sentences)
        known = sum(rate * n for rate, n in zip(shipped, (byte, *rates), strict=True))
        characters = sentences.encode().translate(tokens.CLASSES).count(script.encode())
        rate = (count(sentences) - known) / characters
        print(f"  script {script:7} {rate:+.3f} ({tokens.SCRIPT_RATES[script.encode()]:+.3f})")
    blob = base64.b64encode(random.Random(0).randbytes(30_000)).decode()
    pieces = sum(count(blob[i : i + 500]) for i in range(0, len(blob), 500))
    print(f"  base64         {pieces / len(blob):+.3f} ({tokens.BASE64_RATE:+.3f})")

    print(f"held out: {len({b.project for b in held_out})} other projects")
    compare("all", held_out)
    groups: dict[str, list[Block]] = defaultdict(list)
    for block in held_out:
        groups[f"kind {block.kind}"].append(block)
        groups[f"agent {block.agent}"].append(block)
    for name in sorted(groups):
        compare(name, groups[name])
    print("speed")
    speed([block.text for block in held_out])


if __name__ == "__main__":
    show_help()
    main()
