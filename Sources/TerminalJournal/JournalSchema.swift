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
        return migrator
    }
}
