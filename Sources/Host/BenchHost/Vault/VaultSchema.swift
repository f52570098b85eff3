import GRDB

/// The tables of the vault.
enum VaultSchema {
    /// - Parameter terminalID: the host's own terminal. The secure cards of vaults up to version 6,
    ///   which have no terminal, become its cards, or those of the only terminal of the vault.
    static func migrator(terminalID: String) -> DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { database in
            try database.execute(
                sql: """
                    -- One row: what the vault key is known by.
                    CREATE TABLE vault (key_check BLOB NOT NULL);

                    -- A deleted secure card keeps its token and loses everything else.
                    CREATE TABLE secure_card (
                        token TEXT PRIMARY KEY,
                        merchant_reference TEXT NOT NULL,
                        pan BLOB,
                        pan_lookup BLOB,
                        details BLOB,
                        masked_pan TEXT
                    ) STRICT;
                    CREATE UNIQUE INDEX secure_card_merchant_reference ON secure_card (merchant_reference) WHERE pan IS NOT NULL;
                    CREATE INDEX secure_card_pan ON secure_card (pan_lookup);

                    -- Amounts are minor units; the currency is its ISO 4217 number. The reversal before its order has none, up to version 4.
                    CREATE TABLE payment_order (
                        order_id TEXT PRIMARY KEY,
                        state TEXT NOT NULL,
                        unique_reference TEXT NOT NULL UNIQUE,
                        amount INTEGER,
                        currency INTEGER,
                        seconds_since_1970 INTEGER,
                        masked_pan TEXT,
                        response_code TEXT,
                        approval_code TEXT,
                        final_cryptogram BLOB
                    ) STRICT;

                    -- The highest application transaction counter that a right ARQC has come with.
                    CREATE TABLE card_counter (
                        pan_lookup BLOB NOT NULL,
                        pan_sequence_number INTEGER NOT NULL,
                        atc INTEGER NOT NULL,
                        PRIMARY KEY (pan_lookup, pan_sequence_number)
                    ) STRICT;
                    """)
        }
        migrator.registerMigration("2") { database in
            try database.execute(
                sql: """
                    -- Amounts are in the currency of the order. A refund or a capture names its original by unique reference; a card is found by the
                    -- keyed hash of its number. What the answer said is sealed.
                    ALTER TABLE payment_order ADD COLUMN kind TEXT NOT NULL DEFAULT 'sale';
                    ALTER TABLE payment_order ADD COLUMN authorized_amount INTEGER;
                    ALTER TABLE payment_order ADD COLUMN utc_offset INTEGER NOT NULL DEFAULT 0;
                    ALTER TABLE payment_order ADD COLUMN original TEXT;
                    ALTER TABLE payment_order ADD COLUMN reversal_reason TEXT;
                    ALTER TABLE payment_order ADD COLUMN terminal_id TEXT;
                    ALTER TABLE payment_order ADD COLUMN pan_lookup BLOB;
                    ALTER TABLE payment_order ADD COLUMN pan_sequence_number INTEGER;
                    ALTER TABLE payment_order ADD COLUMN atc INTEGER;
                    ALTER TABLE payment_order ADD COLUMN answer BLOB;
                    CREATE INDEX payment_order_original ON payment_order (original);
                    CREATE INDEX payment_order_time ON payment_order (seconds_since_1970);
                    CREATE INDEX payment_order_pan ON payment_order (pan_lookup);

                    UPDATE payment_order SET state = 'voided', kind = 'accountVerification' WHERE state = 'verified';
                    UPDATE payment_order SET authorized_amount = amount WHERE state IN ('approved', 'approvedOffline', 'voided');
                    """)
        }
        migrator.registerMigration("3") { database in
            try database.execute(
                sql: """
                    -- A terminal and its secret for the XML interface, sealed.
                    CREATE TABLE terminal (terminal_id TEXT PRIMARY KEY, settings TEXT NOT NULL, secret BLOB NOT NULL) STRICT;

                    -- An API key is known by its keyed hash. The terminals that it may use, as JSON.
                    CREATE TABLE api_key (alias TEXT PRIMARY KEY, key_hash BLOB NOT NULL UNIQUE, terminals TEXT NOT NULL) STRICT;

                    -- Closed batches; the orders in them have the number.
                    CREATE TABLE batch (
                        number INTEGER PRIMARY KEY, terminal_id TEXT NOT NULL, seconds_since_1970 INTEGER NOT NULL
                    ) STRICT;
                    ALTER TABLE payment_order ADD COLUMN batch INTEGER;
                    """)
        }
        migrator.registerMigration("4") { database in
            // One card may have thousands of payments: these indices find its counters and its
            // latest payments without a scan.
            try database.execute(
                sql: """
                    DROP INDEX payment_order_pan;
                    CREATE INDEX payment_order_counter ON payment_order (pan_lookup, pan_sequence_number, atc);
                    CREATE INDEX payment_order_card_time ON payment_order (pan_lookup, seconds_since_1970);
                    """)
        }
        migrator.registerMigration("5") { database in
            try database.execute(
                sql: """
                    -- A reversal that came before its order: the order may still come, and is then refused. One without a terminal is
                    -- for the orders of all of them.
                    CREATE TABLE early_reversal (
                        order_id TEXT NOT NULL,
                        terminal_id TEXT NOT NULL,
                        PRIMARY KEY (order_id, terminal_id)
                    ) STRICT;
                    """)
        }
        migrator.registerMigration("6") { database in
            try database.execute(sql: "-- What the cardholder signed, sealed.\nALTER TABLE payment_order ADD COLUMN signature BLOB")
        }
        migrator.registerMigration("7") { database in
            try database.execute(
                sql: """
                    -- An order id is its terminal's: other terminals may use the same. Orders of version 1, and reversals up to version 4 that
                    -- came before their orders, have none; their ids are taken for all terminals.
                    CREATE TABLE terminal_order (
                        order_id TEXT NOT NULL,
                        terminal_id TEXT NOT NULL DEFAULT '',
                        state TEXT NOT NULL,
                        unique_reference TEXT NOT NULL UNIQUE,
                        amount INTEGER,
                        currency INTEGER,
                        seconds_since_1970 INTEGER,
                        masked_pan TEXT,
                        response_code TEXT,
                        approval_code TEXT,
                        final_cryptogram BLOB,
                        kind TEXT NOT NULL,
                        authorized_amount INTEGER,
                        utc_offset INTEGER NOT NULL,
                        original TEXT,
                        reversal_reason TEXT,
                        pan_lookup BLOB,
                        pan_sequence_number INTEGER,
                        atc INTEGER,
                        answer BLOB,
                        batch INTEGER,
                        signature BLOB,
                        PRIMARY KEY (order_id, terminal_id)
                    ) STRICT;
                    INSERT INTO terminal_order SELECT
                        order_id, coalesce(terminal_id, ''), state, unique_reference, amount, currency, seconds_since_1970, masked_pan,
                        response_code, approval_code, final_cryptogram, kind, authorized_amount, utc_offset, original, reversal_reason,
                        pan_lookup, pan_sequence_number, atc, answer, batch, signature
                    FROM payment_order ORDER BY rowid;
                    DROP TABLE payment_order;
                    ALTER TABLE terminal_order RENAME TO payment_order;
                    CREATE INDEX payment_order_original ON payment_order (original);
                    CREATE INDEX payment_order_time ON payment_order (seconds_since_1970);
                    CREATE INDEX payment_order_counter ON payment_order (pan_lookup, pan_sequence_number, atc);
                    CREATE INDEX payment_order_card_time ON payment_order (pan_lookup, seconds_since_1970);

                    -- A merchant reference and a token are those of the terminal that registered the card.
                    ALTER TABLE secure_card ADD COLUMN terminal_id TEXT NOT NULL DEFAULT '';
                    DROP INDEX secure_card_merchant_reference;
                    CREATE UNIQUE INDEX secure_card_merchant_reference ON secure_card (merchant_reference, terminal_id) WHERE pan IS NOT NULL;
                    """)
            let terminals = try String.fetchAll(database, sql: "SELECT terminal_id FROM terminal")
            let only = terminals.count == 1 ? terminals.first : nil
            try database.execute(sql: "UPDATE secure_card SET terminal_id = ?", arguments: [only ?? terminalID])
        }
        migrator.registerMigration("8") { database in
            try database.execute(
                sql: """
                    -- The keyed hashes of a card's cryptograms that the host has booked or was told of. They outlive their orders.
                    CREATE TABLE seen_cryptogram (
                        pan_lookup BLOB NOT NULL, cryptogram BLOB NOT NULL, PRIMARY KEY (pan_lookup, cryptogram)
                    ) STRICT, WITHOUT ROWID;

                    -- A card that begins again has its earlier counters no longer. The cryptograms of cards of earlier vaults are not
                    -- known, so that these do not begin again.
                    ALTER TABLE card_counter ADD COLUMN may_begin_again INTEGER NOT NULL DEFAULT 1;
                    ALTER TABLE card_counter ADD COLUMN has_begun_again INTEGER NOT NULL DEFAULT 0;
                    UPDATE card_counter SET may_begin_again = 0;
                    """)
        }
        return migrator
    }
}
