"""The tables of the Postgres store, as a list of migrations.

A released migration never changes; new ones are appended. The tables have the columns of the SQLite store, because
both stores share their statements. Texts are compared by their bytes (`COLLATE "C"`), as SQLite does.
"""

from __future__ import annotations

from typing import Final

from prunus.store.migrations import LIVES, Migration

_FIRST: Final[Migration] = (
    """CREATE TABLE conversations (
        n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        tenant text COLLATE "C" NOT NULL,
        id text COLLATE "C" NOT NULL,
        client text COLLATE "C" NOT NULL DEFAULT '',
        format text COLLATE "C" NOT NULL DEFAULT '',
        model text COLLATE "C" NOT NULL DEFAULT '',
        first float8 NOT NULL,
        last float8 NOT NULL,
        seen float8 NOT NULL DEFAULT 0,
        requests bigint NOT NULL DEFAULT 0,
        depth bigint NOT NULL DEFAULT 0,
        prompt bytea NOT NULL DEFAULT '',
        stamp bigint NOT NULL DEFAULT 0,
        flushes bytea NOT NULL DEFAULT '',
        whole float8 NOT NULL DEFAULT 0,
        paid float8 NOT NULL DEFAULT 0,
        tokens bigint NOT NULL DEFAULT 0,
        learned bytea NOT NULL DEFAULT '',
        life bytea NOT NULL DEFAULT '',
        kept float8 NOT NULL DEFAULT 0,
        UNIQUE (tenant, id)
    )""",
    "CREATE INDEX conversations_by_age ON conversations (last)",
    """CREATE TABLE links (
        tenant text COLLATE "C" NOT NULL,
        link bytea NOT NULL,
        conversation bigint NOT NULL REFERENCES conversations ON DELETE CASCADE,
        depth bigint NOT NULL,
        PRIMARY KEY (tenant, link)
    )""",
    "CREATE INDEX links_by_conversation ON links (conversation)",
    """CREATE TABLE edits (
        conversation bigint NOT NULL REFERENCES conversations ON DELETE CASCADE,
        message bigint NOT NULL,
        part bigint NOT NULL,
        edit bytea NOT NULL,
        PRIMARY KEY (conversation, message, part)
    )""",
    """CREATE TABLE written (
        conversation bigint NOT NULL REFERENCES conversations ON DELETE CASCADE,
        message bigint NOT NULL,
        key bytea NOT NULL,
        text bytea NOT NULL,
        PRIMARY KEY (conversation, message)
    )""",
    """CREATE TABLE contexts (
        conversation bigint PRIMARY KEY REFERENCES conversations ON DELETE CASCADE,
        request bigint NOT NULL,
        numbers bytea NOT NULL
    )""",
    """CREATE TABLE exchanges (
        n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        conversation bigint NOT NULL REFERENCES conversations ON DELETE CASCADE,
        id text COLLATE "C" NOT NULL,
        request bigint NOT NULL,
        time float8 NOT NULL,
        client text COLLATE "C" NOT NULL,
        format text COLLATE "C" NOT NULL,
        model text COLLATE "C" NOT NULL,
        tokens_before bigint NOT NULL,
        tokens_after bigint NOT NULL,
        input bigint,
        cache_read bigint,
        cache_write bigint,
        output bigint,
        cost float8 NOT NULL,
        cost_unpruned float8 NOT NULL,
        cost_of_break float8 NOT NULL,
        flush bytea,
        status bigint NOT NULL,
        ms float8 NOT NULL,
        error text COLLATE "C" NOT NULL,
        shadow bigint NOT NULL,
        behind bigint NOT NULL DEFAULT 0,
        keep_alive bigint NOT NULL DEFAULT 0,
        project text COLLATE "C" NOT NULL DEFAULT '',
        missed bigint NOT NULL DEFAULT 0,
        missed_for text COLLATE "C" NOT NULL DEFAULT '',
        UNIQUE (conversation, id)
    )""",
    """CREATE TABLE originals (
        n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        tenant text COLLATE "C" NOT NULL,
        hash bytea NOT NULL,
        size bigint NOT NULL,
        data bytea NOT NULL,
        UNIQUE (tenant, hash)
    )""",
    # The originals are compressed already, so Postgres shall not try to compress them.
    "ALTER TABLE originals ALTER COLUMN data SET STORAGE EXTERNAL",
    """CREATE TABLE receipts (
        n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        conversation bigint NOT NULL REFERENCES conversations ON DELETE CASCADE,
        id text COLLATE "C" NOT NULL,
        message bigint NOT NULL,
        part bigint NOT NULL,
        request bigint NOT NULL,
        time float8 NOT NULL,
        turn bigint NOT NULL,
        tool text COLLATE "C" NOT NULL,
        what text COLLATE "C" NOT NULL,
        strategy text COLLATE "C" NOT NULL,
        reason text COLLATE "C" NOT NULL,
        tokens_before bigint NOT NULL,
        tokens_after bigint NOT NULL,
        price float8 NOT NULL,
        shadow bigint NOT NULL,
        original bigint REFERENCES originals ON DELETE SET NULL,
        item text COLLATE "C" NOT NULL DEFAULT '',
        UNIQUE (conversation, message, part)
    )""",
    "CREATE INDEX receipts_by_id ON receipts (id)",
    "CREATE INDEX receipts_by_original ON receipts (original)",
    "CREATE INDEX receipts_by_item ON receipts (conversation, item)",
    """CREATE TABLE cuts (
        conversation bigint NOT NULL REFERENCES conversations ON DELETE CASCADE,
        message bigint NOT NULL,
        part bigint NOT NULL,
        strategy text COLLATE "C" NOT NULL,
        kind text COLLATE "C" NOT NULL,
        made bigint NOT NULL DEFAULT 0,
        expected float8 NOT NULL DEFAULT 0,
        asked bigint NOT NULL DEFAULT 0,
        tokens bigint NOT NULL DEFAULT 0,
        call_message bigint NOT NULL DEFAULT 0,
        call_part bigint NOT NULL DEFAULT 0,
        shadow bigint NOT NULL,
        PRIMARY KEY (conversation, message, part, strategy)
    )""",
    """CREATE TABLE hidden (
        tenant text COLLATE "C" NOT NULL,
        key text COLLATE "C" NOT NULL,
        value bytea NOT NULL,
        seen float8 NOT NULL,
        PRIMARY KEY (tenant, key)
    )""",
    "CREATE INDEX hidden_by_age ON hidden (seen)",
    """CREATE TABLE asked (
        n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        tenant text COLLATE "C" NOT NULL,
        conversation text COLLATE "C" NOT NULL,
        what text COLLATE "C" NOT NULL,
        time float8 NOT NULL
    )""",
    "CREATE INDEX asked_by_conversation ON asked (tenant, conversation)",
    """CREATE TABLE totals (
        tenant text COLLATE "C" NOT NULL,
        shadow bigint NOT NULL,
        conversations bigint NOT NULL DEFAULT 0,
        requests bigint NOT NULL DEFAULT 0,
        errors bigint NOT NULL DEFAULT 0,
        tokens_before bigint NOT NULL DEFAULT 0,
        tokens_after bigint NOT NULL DEFAULT 0,
        input bigint NOT NULL DEFAULT 0,
        cache_read bigint NOT NULL DEFAULT 0,
        cache_write bigint NOT NULL DEFAULT 0,
        output bigint NOT NULL DEFAULT 0,
        cost float8 NOT NULL DEFAULT 0,
        cost_unpruned float8 NOT NULL DEFAULT 0,
        cost_of_breaks float8 NOT NULL DEFAULT 0,
        breaks bigint NOT NULL DEFAULT 0,
        behind bigint NOT NULL DEFAULT 0,
        keep_alives bigint NOT NULL DEFAULT 0,
        cost_of_keep_alives float8 NOT NULL DEFAULT 0,
        PRIMARY KEY (tenant, shadow)
    )""",
    """CREATE TABLE strategies (
        tenant text COLLATE "C" NOT NULL,
        shadow bigint NOT NULL,
        strategy text COLLATE "C" NOT NULL,
        count bigint NOT NULL,
        tokens bigint NOT NULL,
        PRIMARY KEY (tenant, shadow, strategy)
    )""",
    """CREATE TABLE agents (
        tenant text COLLATE "C" NOT NULL,
        shadow bigint NOT NULL,
        client text COLLATE "C" NOT NULL,
        requests bigint NOT NULL,
        PRIMARY KEY (tenant, shadow, client)
    )""",
    """CREATE TABLE experience (
        tenant text COLLATE "C" NOT NULL,
        shadow bigint NOT NULL,
        client text COLLATE "C" NOT NULL,
        strategy text COLLATE "C" NOT NULL,
        kind text COLLATE "C" NOT NULL,
        cut bigint NOT NULL,
        expected float8 NOT NULL,
        asked bigint NOT NULL,
        tokens bigint NOT NULL,
        PRIMARY KEY (tenant, shadow, client, strategy, kind)
    )""",
    """CREATE TABLE days (
        tenant text COLLATE "C" NOT NULL,
        shadow bigint NOT NULL,
        day text COLLATE "C" NOT NULL,
        client text COLLATE "C" NOT NULL,
        model text COLLATE "C" NOT NULL,
        project text COLLATE "C" NOT NULL,
        missed_for text COLLATE "C" NOT NULL,
        requests bigint NOT NULL,
        tokens_before bigint NOT NULL,
        tokens_after bigint NOT NULL,
        input bigint NOT NULL,
        cache_read bigint NOT NULL,
        cache_write bigint NOT NULL,
        output bigint NOT NULL,
        cost float8 NOT NULL,
        cost_unpruned float8 NOT NULL,
        cost_of_breaks float8 NOT NULL,
        breaks bigint NOT NULL,
        missed bigint NOT NULL,
        PRIMARY KEY (tenant, shadow, day, client, model, project, missed_for)
    )""",
)

POSTGRES_MIGRATIONS: Final[tuple[Migration, ...]] = (_FIRST, LIVES)
