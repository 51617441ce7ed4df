"""The keys of the Redis store. Each tenant has a prefix of its own.

    prunus:1:tenants                    set: the tenants
    prunus:1:TENANT:newest              sorted set: the conversations by the time of their last request
    prunus:1:TENANT:lives               sorted set: the conversations that know something of the life of the cache
    prunus:1:TENANT:link:LINK           string: the depth of a link, and the conversation that sent it last
    prunus:1:TENANT:conversation:ID     hash: its state, with a field `e MESSAGE PART` for each edit
    prunus:1:TENANT:written:ID          hash: the messages that were sent in changed form
    prunus:1:TENANT:links:ID            string: the links of a conversation, 16 bytes each
    prunus:1:TENANT:cuts:ID             hash: the cuts that calls can ask for
    prunus:1:TENANT:asked:ID            list: commands for the next request
    prunus:1:TENANT:exchange:ID         string: what an exchange has added to the experience
    prunus:1:TENANT:hidden              sorted set: the keys of hidden exchanges by the time of their last use
    prunus:1:TENANT:hidden:KEY          string: a hidden exchange
    prunus:1:TENANT:requests            hash: the requests of each agent
    prunus:1:TENANT:experience          hash: sums over the cuts of each agent

The 1 is the version of this layout. All keys but sums and sets expire.
"""

from __future__ import annotations

from typing import Final
from urllib.parse import quote

PREFIX: Final = "prunus:1"
TENANTS: Final = f"{PREFIX}:tenants"
LINK_SIZE: Final = 16


class TenantKeys:
    """The keys of one tenant."""

    def __init__(self, tenant: str) -> None:
        # The name of a tenant may contain colons; quoted, it cannot look like the keys of another tenant.
        self.prefix = f"{PREFIX}:{quote(tenant, safe='')}"
        self.newest = f"{self.prefix}:newest"
        self.lives = f"{self.prefix}:lives"
        self.hidden = f"{self.prefix}:hidden"
        self.requests = f"{self.prefix}:requests"
        self.experience = f"{self.prefix}:experience"

    def of(self, kind: str, id: str) -> str:
        """Return the key of one entry of a kind."""
        return f"{self.prefix}:{kind}:{id}"

    def link(self, link: bytes) -> bytes:
        """Return the key of a link."""
        return f"{self.prefix}:link:".encode() + link
