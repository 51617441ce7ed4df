def test_each_run_is_a_session(document):
    call = {"id": "c", "type": "function", "function": {"name": "think", "arguments": "{}"}}
    traj = [
        {"role": "system", "content": "Policy"},
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "name": "think", "content": ""},
        {"role": "assistant", "content": "Hello"},
        {"role": "user", "content": "Bye"},
    ]
    first, second = document([{"task_id": n, "trial": 0, "reward": 1.0, "traj": traj} for n in range(2)])
    assert first.messages == tuple(traj)
    assert first.requests == (2, 4)
    assert (first.name, second.name) == ("talk", "talk#2")
    assert (first.agent, first.format) == ("tau-bench", "openai_chat")
