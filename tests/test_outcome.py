import pytest

from prunus.errors import FormatError
from prunus.outcome import as_given, as_read


@pytest.mark.parametrize("given", [b"{}", bytearray(b"{}"), memoryview(b"{}"), "{}"])
def test_text_in_any_type_is_read_as_bytes_and_comes_back_in_its_type(given: object) -> None:
    assert as_read(given) == b"{}"
    back = as_given(given, b"[]")
    assert type(back) is type(given)
    assert as_read(back) == b"[]"


@pytest.mark.parametrize("given", [{"messages": []}, [1]])
def test_objects_are_read_as_they_are(given: object) -> None:
    assert as_read(given) is given


@pytest.mark.parametrize(
    ("given", "said"),
    [(7, "a body of type int; expected dict, list, str or bytes"), ("\ud800", "text that is not valid Unicode")],
)
def test_a_body_of_another_type_is_refused_with_the_reason(given: object, said: str) -> None:
    with pytest.raises(FormatError, match=said):
        as_read(given)
