from prunus.clients.sessions import Session
from prunus.lab.conversations import conversations
from prunus.lab.replay import Reader
from prunus.providers import provider_named
from tests.lab.talk import anthropic, reads
from tests.validity import problems


def tokens(session: Session, request: int) -> int:
    reader = Reader(provider_named(session.format))
    return sum(reader.sheet(message).tokens for message in session.messages[: session.requests[request]])


def test_a_short_session_stays_as_it_is() -> None:
    session = anthropic(reads(3))
    assert list(conversations(session)) == [session]


def test_no_request_holds_more_than_the_limit() -> None:
    session = anthropic(reads(30))
    limit = tokens(session, -1) // 3
    assert all(tokens(piece, -1) <= limit for piece in conversations(session, limit))


def test_every_request_is_in_one_piece() -> None:
    session = anthropic(reads(30), times=range(31))
    pieces = list(conversations(session, tokens(session, -1) // 3))
    assert len(pieces) > 2
    assert [time for piece in pieces for time in piece.times] == list(session.times)


def test_pieces_are_valid_requests_that_begin_like_the_session() -> None:
    session = anthropic(reads(30))
    for piece in conversations(session, tokens(session, -1) // 3):
        assert piece.messages[0] == session.messages[0]
        for request in range(len(piece.requests)):
            assert problems(piece.body(request), piece.format) == []


def test_the_answer_to_the_last_request_stays_with_its_piece() -> None:
    session = anthropic(reads(30))
    first, second, *_ = conversations(session, tokens(session, -1) // 3)
    answer = first.messages[first.requests[-1]]
    assert answer["role"] == "assistant"
    assert second.messages[1] == answer


def test_further_pieces_have_names_of_their_own() -> None:
    session = anthropic(reads(30))
    names = [piece.name for piece in conversations(session, tokens(session, -1) // 3)]
    assert names[:2] == ["talk", "talk/2"]
    assert len(set(names)) == len(names)


def test_a_step_beyond_the_limit_does_not_loop_forever() -> None:
    session = anthropic([*reads(2), ("Read", {"file_path": "/x"}, "word " * 5_000), *reads(2)])
    assert sum(len(piece.requests) for piece in conversations(session, 1_000)) == len(session.requests)
