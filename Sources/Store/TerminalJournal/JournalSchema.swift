import GRDB

/// The tables of the journal.
enum JournalSchema {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { database in
            try database.execute(
                sql: """
                    -- One row. digest_key is sealed: requests are recognised by it, and stay so when the journal's key changes.
                    CREATE TABLE journal (key_check BLOB NOT NULL, digest_key BLOB, sequence_counter INTEGER NOT NULL DEFAULT 1);

                    -- What is not needed to find an entry is sealed in content, for this order alone.
                    CREATE TABLE entry (
                        order_id TEXT PRIMARY KEY,
                        idempotency_key TEXT UNIQUE,
                        stage TEXT NOT NULL,
                        seconds_since_1970 INTEGER NOT NULL,
                        content BLOB NOT NULL
                    ) STRICT;
                    CREATE INDEX entry_open ON entry (stage) WHERE stage <> 'finished';
                    CREATE INDEX entry_time ON entry (seconds_since_1970);
                    """)
        }
        migrator.registerMigration("2") { database in
            try database.execute(
                sql: """
                    -- ledger is sealed: how many writes there were, and a keyed sum of the entries (JournalLedger).
                    ALTER TABLE journal ADD COLUMN ledger BLOB;
                    -- Names the journal in its watermark file.
                    ALTER TABLE journal ADD COLUMN name BLOB;
                    UPDATE journal SET name = randomblob(8);

                    -- A new table, because entry_open of version 1 does not serve a query in the order of entries.
                    -- version is that of content; written counts the journal's writes, the last of them this entry's.
                    CREATE TABLE entry_2 (
                        number INTEGER PRIMARY KEY,
                        order_id TEXT NOT NULL UNIQUE,
                        idempotency_key TEXT UNIQUE,
                        stage TEXT NOT NULL,
                        seconds_since_1970 INTEGER NOT NULL,
                        version INTEGER NOT NULL,
                        written INTEGER NOT NULL,
                        content BLOB NOT NULL
                    ) STRICT;
                    INSERT INTO entry_2 SELECT rowid, order_id, idempotency_key, stage, seconds_since_1970, 1, 0, content FROM entry;
                    DROP TABLE entry;
                    ALTER TABLE entry_2 RENAME TO entry;
                    CREATE INDEX entry_open ON entry (number) WHERE stage <> 'finished';
                    CREATE INDEX entry_time ON entry (seconds_since_1970) WHERE stage = 'finished';

                    -- Entries that cannot be read: their order ids and keys stay taken.
                    CREATE TABLE unreadable (
                        order_id TEXT PRIMARY KEY,
                        idempotency_key TEXT UNIQUE,
                        stage TEXT NOT NULL,
                        seconds_since_1970 INTEGER NOT NULL,
                        version INTEGER NOT NULL,
                        written INTEGER NOT NULL,
                        content BLOB NOT NULL
                    ) STRICT;
                    """)
        }
        migrator.registerMigration("3") { database in
            // The sealed torn transactions, see SQLiteJournal+TornTransactions.swift.
            try database.execute(sql: "ALTER TABLE journal ADD COLUMN torn BLOB")
        }
        migrator.registerMigration("4") { database in
            try database.execute(
                sql: """
                    -- The day of the last write, by the journal's own count, which decides what is purged.
                    ALTER TABLE entry ADD COLUMN day INTEGER NOT NULL DEFAULT 0;
                    ALTER TABLE unreadable ADD COLUMN day INTEGER NOT NULL DEFAULT 0;
                    DROP INDEX entry_time;
                    CREATE INDEX entry_day ON entry (day) WHERE stage = 'finished';
                    """)
        }
        return migrator
    }
}
