"""Names of points stand apart from each other, and inside of their plot."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from prunus.lab.picture import Label, Spot, place_labels

FRAME = (50, 40, 520, 320)
SPOTS = st.lists(
    st.builds(Spot, st.floats(60, 500), st.floats(50, 310), st.sampled_from(["auto", "mask:10:30000", "acp"])),
    max_size=8,
)


def box(spot: Spot, label: Label) -> tuple[float, float, float, float]:
    width = 6 * len(spot.name)
    x = label.x - {"start": 0, "middle": width / 2, "end": width}[label.anchor]
    return x, label.y - 9, x + width, label.y + 1


def overlap(a: tuple[float, ...], b: tuple[float, ...]) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def test_a_single_point_has_its_label_beside_it() -> None:
    [label] = place_labels([Spot(200, 100, "auto")], [], FRAME)
    assert (label.anchor, label.leader, label.y) == ("start", None, 104)


def test_names_of_points_in_a_crowd_do_not_cover_each_other() -> None:
    spots = [Spot(200 + 6 * n, 150 + 3 * n, f"policy-{n}") for n in range(7)]
    boxes = [box(spot, label) for spot, label in zip(spots, place_labels(spots, [], FRAME), strict=True)]
    assert not [(a, b) for n, a in enumerate(boxes) for b in boxes[:n] if overlap(a, b)]


def test_a_name_that_stands_apart_has_a_line_to_its_point() -> None:
    spots = [Spot(200, 150, f"policy-{n}") for n in range(6)]
    labels = place_labels(spots, [], FRAME)
    assert any(label.leader is not None for label in labels)


@given(SPOTS)
def test_names_stay_inside_of_the_plot(spots: list[Spot]) -> None:
    for spot, label in zip(spots, place_labels(spots, [], FRAME), strict=True):
        left, top, right, bottom = box(spot, label)
        assert FRAME[0] <= left + 1 and right <= FRAME[2] + 1
        assert FRAME[1] <= top + 1 and bottom <= FRAME[3] + 1
