import GRDB

/// The tables of the journal.
enum JournalSchema {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { database in
            try database.execute(
                sql: """
                    -- One row. name names the journal in its watermark file. These are sealed: digest_key, by which requests are recognised,
                    -- also when the journal's key changes; ledger, how many writes there were and a keyed sum of the entries
                    -- (JournalLedger); torn, the records of torn taps (SQLiteJournal+TornTransactions).
                    CREATE TABLE journal (
                        key_check BLOB NOT NULL,
                        name BLOB,
                        sequence_counter INTEGER NOT NULL DEFAULT 1,
                        digest_key BLOB,
                        ledger BLOB,
                        torn BLOB
                    );

                    -- What is not needed to find an entry is sealed in content, for this order alone, in the form of version. written counts
                    -- the journal's writes, the last of them this entry's, and day is that write's by the journal's own count: it decides
                    -- what is purged.
                    CREATE TABLE entry (
                        number INTEGER PRIMARY KEY,
                        order_id TEXT NOT NULL UNIQUE,
                        idempotency_key TEXT UNIQUE,
                        stage TEXT NOT NULL,
                        seconds_since_1970 INTEGER NOT NULL,
                        version INTEGER NOT NULL,
                        written INTEGER NOT NULL,
                        day INTEGER NOT NULL,
                        content BLOB NOT NULL
                    ) STRICT;
                    CREATE INDEX entry_open ON entry (number) WHERE stage <> 'finished';
                    CREATE INDEX entry_day ON entry (day) WHERE stage = 'finished';

                    -- Entries that cannot be read: their order ids and keys stay taken.
                    CREATE TABLE unreadable (
                        order_id TEXT PRIMARY KEY,
                        idempotency_key TEXT UNIQUE,
                        stage TEXT NOT NULL,
                        seconds_since_1970 INTEGER NOT NULL,
                        version INTEGER NOT NULL,
                        written INTEGER NOT NULL,
                        day INTEGER NOT NULL,
                        content BLOB NOT NULL
                    ) STRICT;
                    """)
        }
        return migrator
    }
}
