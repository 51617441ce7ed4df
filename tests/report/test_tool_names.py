from prunus.edits import Edit, Gone
from prunus.history import Call, History, Message, Ref, Result
from prunus.providers import read
from prunus.pruner import prune
from prunus.report import tool_names


def edit(message: int, part: int = 0) -> Edit:
    return Edit(Ref(message, part), Gone(), "old_errors", "")


def test_a_pruned_request_names_the_tools_that_were_cut(session: bytes) -> None:
    assert tool_names(read(session), prune(session).edits) == ("Read", "Bash")


def test_a_call_whose_input_and_result_went_counts_once() -> None:
    history = History("x", (Message("assistant", (Call("1", "bash", {}),)), Message("user", (Result("1", ""),))))
    assert tool_names(history, [edit(1), edit(0)]) == ("bash",)


def test_ids_that_are_used_again_belong_to_the_newest_call() -> None:
    turns = [
        Message("assistant", (Call("1", "read", {}),)),
        Message("user", (Result("1", ""),)),
        Message("assistant", (Call("1", "bash", {}),)),
        Message("user", (Result("1", ""),)),
    ]
    assert tool_names(History("x", tuple(turns)), [edit(1), edit(3)]) == ("read", "bash")


def test_a_result_without_its_call_has_no_name() -> None:
    assert tool_names(History("x", (Message("user", (Result("1", ""),)),)), [edit(0)]) == ()
