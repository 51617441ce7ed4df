"""The tables of a SQL store, as a list of migrations in the dialect of SQLite.

A released migration never changes; new ones are appended. `postgres.schema` translates them for Postgres.
"""

from __future__ import annotations

from typing import Final

Migration = tuple[str, ...]
"""The statements of one migration."""

_FIRST: Final[Migration] = (
    """CREATE TABLE conversations (
        n INTEGER PRIMARY KEY,
        tenant TEXT NOT NULL,
        id TEXT NOT NULL,
        client TEXT NOT NULL DEFAULT '',
        format TEXT NOT NULL DEFAULT '',
        model TEXT NOT NULL DEFAULT '',
        first REAL NOT NULL,
        last REAL NOT NULL,
        seen REAL NOT NULL DEFAULT 0,
        requests INTEGER NOT NULL DEFAULT 0,
        depth INTEGER NOT NULL DEFAULT 0,
        prompt BLOB NOT NULL DEFAULT x'',
        stamp INTEGER NOT NULL DEFAULT 0,
        flushes BLOB NOT NULL DEFAULT x'',
        UNIQUE (tenant, id)
    )""",
    "CREATE INDEX conversations_by_age ON conversations (last)",
    """CREATE TABLE links (
        tenant TEXT NOT NULL,
        link BLOB NOT NULL,
        conversation INTEGER NOT NULL REFERENCES conversations ON DELETE CASCADE,
        depth INTEGER NOT NULL,
        PRIMARY KEY (tenant, link)
    ) WITHOUT ROWID""",
    "CREATE INDEX links_by_conversation ON links (conversation)",
    """CREATE TABLE edits (
        conversation INTEGER NOT NULL REFERENCES conversations ON DELETE CASCADE,
        message INTEGER NOT NULL,
        part INTEGER NOT NULL,
        edit BLOB NOT NULL,
        PRIMARY KEY (conversation, message, part)
    ) WITHOUT ROWID""",
    """CREATE TABLE exchanges (
        n INTEGER PRIMARY KEY,
        conversation INTEGER NOT NULL REFERENCES conversations ON DELETE CASCADE,
        id TEXT NOT NULL,
        request INTEGER NOT NULL,
        time REAL NOT NULL,
        client TEXT NOT NULL,
        format TEXT NOT NULL,
        model TEXT NOT NULL,
        tokens_before INTEGER NOT NULL,
        tokens_after INTEGER NOT NULL,
        input INTEGER,
        cache_read INTEGER,
        cache_write INTEGER,
        output INTEGER,
        cost REAL NOT NULL,
        cost_unpruned REAL NOT NULL,
        cost_of_break REAL NOT NULL,
        flush BLOB,
        status INTEGER NOT NULL,
        ms REAL NOT NULL,
        error TEXT NOT NULL,
        shadow INTEGER NOT NULL,
        UNIQUE (conversation, id)
    )""",
    """CREATE TABLE originals (
        n INTEGER PRIMARY KEY,
        tenant TEXT NOT NULL,
        hash BLOB NOT NULL,
        size INTEGER NOT NULL,
        data BLOB NOT NULL,
        UNIQUE (tenant, hash)
    )""",
    """CREATE TABLE receipts (
        n INTEGER PRIMARY KEY,
        conversation INTEGER NOT NULL REFERENCES conversations ON DELETE CASCADE,
        id TEXT NOT NULL,
        message INTEGER NOT NULL,
        part INTEGER NOT NULL,
        request INTEGER NOT NULL,
        time REAL NOT NULL,
        turn INTEGER NOT NULL,
        tool TEXT NOT NULL,
        what TEXT NOT NULL,
        strategy TEXT NOT NULL,
        reason TEXT NOT NULL,
        tokens_before INTEGER NOT NULL,
        tokens_after INTEGER NOT NULL,
        price REAL NOT NULL,
        shadow INTEGER NOT NULL,
        original INTEGER REFERENCES originals ON DELETE SET NULL,
        UNIQUE (conversation, message, part)
    )""",
    "CREATE INDEX receipts_by_id ON receipts (id)",
    "CREATE INDEX receipts_by_original ON receipts (original)",
    """CREATE TABLE hidden (
        tenant TEXT NOT NULL,
        key TEXT NOT NULL,
        value BLOB NOT NULL,
        seen REAL NOT NULL,
        PRIMARY KEY (tenant, key)
    )""",
    "CREATE INDEX hidden_by_age ON hidden (seen)",
    """CREATE TABLE asked (
        n INTEGER PRIMARY KEY,
        tenant TEXT NOT NULL,
        conversation TEXT NOT NULL,
        what TEXT NOT NULL,
        time REAL NOT NULL
    )""",
    "CREATE INDEX asked_by_conversation ON asked (tenant, conversation)",
    """CREATE TABLE totals (
        tenant TEXT NOT NULL,
        shadow INTEGER NOT NULL,
        conversations INTEGER NOT NULL DEFAULT 0,
        requests INTEGER NOT NULL DEFAULT 0,
        errors INTEGER NOT NULL DEFAULT 0,
        tokens_before INTEGER NOT NULL DEFAULT 0,
        tokens_after INTEGER NOT NULL DEFAULT 0,
        input INTEGER NOT NULL DEFAULT 0,
        cache_read INTEGER NOT NULL DEFAULT 0,
        cache_write INTEGER NOT NULL DEFAULT 0,
        output INTEGER NOT NULL DEFAULT 0,
        cost REAL NOT NULL DEFAULT 0,
        cost_unpruned REAL NOT NULL DEFAULT 0,
        cost_of_breaks REAL NOT NULL DEFAULT 0,
        breaks INTEGER NOT NULL DEFAULT 0,
        PRIMARY KEY (tenant, shadow)
    ) WITHOUT ROWID""",
    """CREATE TABLE strategies (
        tenant TEXT NOT NULL,
        shadow INTEGER NOT NULL,
        strategy TEXT NOT NULL,
        count INTEGER NOT NULL,
        tokens INTEGER NOT NULL,
        PRIMARY KEY (tenant, shadow, strategy)
    ) WITHOUT ROWID""",
)

_ACCOUNTS: Final[Migration] = (
    "ALTER TABLE conversations ADD COLUMN whole REAL NOT NULL DEFAULT 0",
    "ALTER TABLE conversations ADD COLUMN paid REAL NOT NULL DEFAULT 0",
    "ALTER TABLE conversations ADD COLUMN tokens INTEGER NOT NULL DEFAULT 0",
)

_OWNED: Final[Migration] = (
    # Earlier rows name neither their conversation nor their caller.
    "DELETE FROM hidden",
)

_BEHIND: Final[Migration] = (
    "ALTER TABLE exchanges ADD COLUMN behind INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE totals ADD COLUMN behind INTEGER NOT NULL DEFAULT 0",
    """CREATE TABLE written (
        conversation INTEGER NOT NULL REFERENCES conversations ON DELETE CASCADE,
        message INTEGER NOT NULL,
        key BLOB NOT NULL,
        text BLOB NOT NULL,
        PRIMARY KEY (conversation, message)
    ) WITHOUT ROWID""",
)

_REPORTS: Final[Migration] = (
    # The call that a receipt belongs to, or the place of its part; receipts with one item count as one prune.
    "ALTER TABLE receipts ADD COLUMN item TEXT NOT NULL DEFAULT ''",
    "UPDATE receipts SET item = message || '.' || part",
    "CREATE INDEX receipts_by_item ON receipts (conversation, item)",
    # Token counts of the newest request of each conversation.
    """CREATE TABLE contexts (
        conversation INTEGER PRIMARY KEY REFERENCES conversations ON DELETE CASCADE,
        request INTEGER NOT NULL,
        numbers BLOB NOT NULL
    )""",
)

_EXPERIENCE: Final[Migration] = (
    "ALTER TABLE conversations ADD COLUMN learned BLOB NOT NULL DEFAULT x''",
    # Parts that were cut and that calls can ask for: the request that cut them, and the one that asked, 0 for none.
    """CREATE TABLE cuts (
        conversation INTEGER NOT NULL REFERENCES conversations ON DELETE CASCADE,
        message INTEGER NOT NULL,
        part INTEGER NOT NULL,
        strategy TEXT NOT NULL,
        kind TEXT NOT NULL,
        made INTEGER NOT NULL DEFAULT 0,
        expected REAL NOT NULL DEFAULT 0,
        asked INTEGER NOT NULL DEFAULT 0,
        tokens INTEGER NOT NULL DEFAULT 0,
        call_message INTEGER NOT NULL DEFAULT 0,
        call_part INTEGER NOT NULL DEFAULT 0,
        shadow INTEGER NOT NULL,
        PRIMARY KEY (conversation, message, part, strategy)
    ) WITHOUT ROWID""",
    """CREATE TABLE agents (
        tenant TEXT NOT NULL,
        shadow INTEGER NOT NULL,
        client TEXT NOT NULL,
        requests INTEGER NOT NULL,
        PRIMARY KEY (tenant, shadow, client)
    ) WITHOUT ROWID""",
    """CREATE TABLE experience (
        tenant TEXT NOT NULL,
        shadow INTEGER NOT NULL,
        client TEXT NOT NULL,
        strategy TEXT NOT NULL,
        kind TEXT NOT NULL,
        cut INTEGER NOT NULL,
        expected REAL NOT NULL,
        asked INTEGER NOT NULL,
        tokens INTEGER NOT NULL,
        PRIMARY KEY (tenant, shadow, client, strategy, kind)
    ) WITHOUT ROWID""",
)

_CACHE_LIFE: Final[Migration] = (
    # What is remembered about the life of the provider's cache, and when a keep-alive request read it last.
    "ALTER TABLE conversations ADD COLUMN life BLOB NOT NULL DEFAULT x''",
    "ALTER TABLE conversations ADD COLUMN kept REAL NOT NULL DEFAULT 0",
    "ALTER TABLE exchanges ADD COLUMN keep_alive INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE totals ADD COLUMN keep_alives INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE totals ADD COLUMN cost_of_keep_alives REAL NOT NULL DEFAULT 0",
)

COUNT_EARLIER_DAYS: Final = """
    INSERT INTO days SELECT c.tenant, e.shadow, ifnull(date(e.time, 'unixepoch', 'localtime'), '') AS day, e.client,
    e.model, '', '', sum(NOT e.keep_alive), sum(e.tokens_before), sum(e.tokens_after),
    sum(ifnull(e.input, 0)),
    sum(ifnull(e.cache_read, 0)), sum(ifnull(e.cache_write, 0)), sum(ifnull(e.output, 0)), sum(e.cost),
    sum(e.cost_unpruned), sum(e.cost_of_break), sum(e.flush IS NOT NULL), 0
    FROM exchanges e JOIN conversations c ON c.n = e.conversation
    GROUP BY c.tenant, e.shadow, day, e.client, e.model"""
"""Fills the table `days`. No Postgres store is so old that it needs this."""

_DAYS: Final[Migration] = (
    "ALTER TABLE exchanges ADD COLUMN project TEXT NOT NULL DEFAULT ''",
    # The cached tokens that a request wrote once more, and why.
    "ALTER TABLE exchanges ADD COLUMN missed INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE exchanges ADD COLUMN missed_for TEXT NOT NULL DEFAULT ''",
    """CREATE TABLE days (
        tenant TEXT NOT NULL,
        shadow INTEGER NOT NULL,
        day TEXT NOT NULL,
        client TEXT NOT NULL,
        model TEXT NOT NULL,
        project TEXT NOT NULL,
        missed_for TEXT NOT NULL,
        requests INTEGER NOT NULL,
        tokens_before INTEGER NOT NULL,
        tokens_after INTEGER NOT NULL,
        input INTEGER NOT NULL,
        cache_read INTEGER NOT NULL,
        cache_write INTEGER NOT NULL,
        output INTEGER NOT NULL,
        cost REAL NOT NULL,
        cost_unpruned REAL NOT NULL,
        cost_of_breaks REAL NOT NULL,
        breaks INTEGER NOT NULL,
        missed INTEGER NOT NULL,
        PRIMARY KEY (tenant, shadow, day, client, model, project, missed_for)
    ) WITHOUT ROWID""",
    COUNT_EARLIER_DAYS,
)

_LIVES: Final[Migration] = (
    # A new conversation reads the newest lives of its tenant. Conversations of one request often have none.
    "CREATE INDEX lives_by_age ON conversations (tenant, last) WHERE length(life) > 0",
)

MIGRATIONS: Final[tuple[Migration, ...]] = (
    _FIRST, _ACCOUNTS, _OWNED, _BEHIND, _REPORTS, _EXPERIENCE, _CACHE_LIFE, _DAYS, _LIVES,
)  # fmt: skip
