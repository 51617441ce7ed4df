import pytest

from prunus.corpus.source import Shard, shard_named, stable_hash
from prunus.errors import SettingsError


def test_each_name_is_in_one_shard() -> None:
    names = [f"folder/{n}.json" for n in range(200)]
    shards = [shard_named(f"{k}/7") for k in range(1, 8)]
    assert [sum(shard.holds(name) for shard in shards) for name in names] == [1] * 200
    assert all(any(shard.holds(name) for name in names) for shard in shards)


def test_the_hash_of_a_name_never_changes() -> None:
    assert stable_hash("folder/1.json") == 0x67A91E8C4CF43069
    assert Shard().holds("anything, even \udc80")


@pytest.mark.parametrize("text", ["", "3", "0/4", "5/4", "1/0", "-1/4", "1/4/2", "a/b"])
def test_other_words_are_no_shard(text: str) -> None:
    with pytest.raises(SettingsError, match="give K/N"):
        shard_named(text)
