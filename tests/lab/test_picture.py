import re
from dataclasses import replace
from xml.etree import ElementTree

from prunus.lab.cost import Rate
from prunus.lab.picture import HEIGHT, WIDTH, picture
from prunus.lab.summary import Summary

LOST = Rate(2.0, 1.0, 3.0)
POINT = Summary(
    "auto", "0.1/1.25", 3, 99, 0.62, 0.63, 1.0, "a", 0.6, 0.7, 0.99, 0.98, 1.0, 0.98, 0.97, LOST, 1.5, 2, 0, 0
)
POINTS = (
    POINT,
    replace(POINT, policy="mask:10", effective=1.2, lost=Rate(20.0, 10.0, 30.0)),
    replace(POINT, policy="mask:10", prices="0.02/1.0", effective=3.1, lost=Rate(20.0, 10.0, 30.0)),
)


def panels(page: str) -> list[ElementTree.Element]:
    return [ElementTree.fromstring(svg) for svg in re.findall(r"<svg.*?</svg>", page, re.DOTALL)]


def test_there_is_a_panel_per_price_and_a_point_per_policy() -> None:
    assert [len(panel.findall(".//circle")) for panel in panels(picture(POINTS))] == [2, 1]


def test_all_points_are_inside_their_panel() -> None:
    wild = (*POINTS, replace(POINT, effective=25.0, lost=Rate(2e3, 1e3, 3e3)), replace(POINT, effective=0.01))
    for panel in panels(picture(wild)):
        for circle in panel.iter("circle"):
            assert 0 <= float(circle.attrib["cx"]) <= WIDTH
            assert 0 <= float(circle.attrib["cy"]) <= HEIGHT


def test_cheaper_is_further_left_and_less_lost_is_higher() -> None:
    ours, mask = panels(picture(POINTS))[0].findall(".//circle")
    assert float(ours.attrib["cx"]) < float(mask.attrib["cx"])
    assert float(ours.attrib["cy"]) < float(mask.attrib["cy"])


def test_the_page_needs_nothing_else() -> None:
    page = picture(POINTS)
    assert not re.search(r"https?:|<script|<link|@import|url\(", page)


def test_names_are_escaped() -> None:
    page = picture([replace(POINT, policy="<b>&")], title="a < b")
    assert "<b>" not in page
    assert "a &lt; b" in page


def test_no_rows_make_an_empty_page() -> None:
    assert panels(picture([])) == []
