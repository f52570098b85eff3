import GRDB

/// The tables of a back office.
enum BackOfficeSchema {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { database in
            try database.execute(
                sql: """
                    -- One row: what the key is known by.
                    CREATE TABLE office (key_check BLOB NOT NULL);

                    -- Amounts are minor units in the currency, an ISO 4217 number; day counts local days since 1970-01-01. The receipt is
                    -- sealed. Searches order by indexes; each has the sequence as its last column, because it is the row id.
                    CREATE TABLE listed (
                        sequence INTEGER PRIMARY KEY AUTOINCREMENT,
                        id TEXT NOT NULL UNIQUE,
                        kind TEXT NOT NULL,
                        state TEXT NOT NULL,
                        currency INTEGER NOT NULL,
                        amount INTEGER NOT NULL,
                        whole_units INTEGER NOT NULL,
                        created_at INTEGER NOT NULL,
                        utc_offset INTEGER NOT NULL,
                        day INTEGER NOT NULL,
                        customer TEXT NOT NULL,
                        customer_key TEXT NOT NULL,
                        card_number TEXT NOT NULL,
                        card_brand TEXT NOT NULL,
                        receipt BLOB
                    ) STRICT;
                    CREATE INDEX listed_created_at ON listed (created_at);
                    CREATE INDEX listed_amount ON listed (amount);
                    CREATE INDEX listed_whole_units ON listed (whole_units);
                    CREATE INDEX listed_customer ON listed (customer_key);
                    -- The least and the greatest amount of a day, after one has left it.
                    CREATE INDEX listed_day ON listed (day, currency, state, amount);

                    -- What statistics add up, written in the transaction of the row. A sum is 2^32 times the high part and the low part,
                    -- and neither part of a sum of 2^31 amounts overflows.
                    CREATE TABLE daily (
                        currency INTEGER NOT NULL,
                        day INTEGER NOT NULL,
                        state TEXT NOT NULL,
                        count INTEGER NOT NULL,
                        high INTEGER NOT NULL,
                        low INTEGER NOT NULL,
                        minimum INTEGER NOT NULL,
                        maximum INTEGER NOT NULL,
                        PRIMARY KEY (currency, day, state)
                    ) STRICT, WITHOUT ROWID;
                    """)
        }
        return migrator
    }
}
