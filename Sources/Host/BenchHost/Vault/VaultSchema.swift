import GRDB

/// The tables of the vault.
enum VaultSchema {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { database in
            try database.execute(
                sql: """
                    -- One row: what the vault key is known by.
                    CREATE TABLE vault (key_check BLOB NOT NULL);

                    -- A terminal and its secret for the XML interface, sealed.
                    CREATE TABLE terminal (terminal_id TEXT PRIMARY KEY, settings TEXT NOT NULL, secret BLOB NOT NULL) STRICT;

                    -- An API key is known by its keyed hash. The terminals that it may use, as JSON.
                    CREATE TABLE api_key (alias TEXT PRIMARY KEY, key_hash BLOB NOT NULL UNIQUE, terminals TEXT NOT NULL) STRICT;

                    -- A merchant reference and a token are those of the terminal that registered the card. A deleted secure card keeps its
                    -- token and loses everything else.
                    CREATE TABLE secure_card (
                        token TEXT PRIMARY KEY,
                        merchant_reference TEXT NOT NULL,
                        pan BLOB,
                        pan_lookup BLOB,
                        details BLOB,
                        masked_pan TEXT,
                        terminal_id TEXT NOT NULL
                    ) STRICT;
                    CREATE UNIQUE INDEX secure_card_merchant_reference ON secure_card (merchant_reference, terminal_id) WHERE pan IS NOT NULL;
                    CREATE INDEX secure_card_pan ON secure_card (pan_lookup);

                    -- An order id is its terminal's: other terminals may use the same. Amounts are minor units in the currency of the order,
                    -- which is an ISO 4217 number. A refund or a capture names its original by unique reference; a card is found by the keyed
                    -- hash of its number. What the answer said and what the cardholder signed is sealed.
                    CREATE TABLE payment_order (
                        order_id TEXT NOT NULL,
                        terminal_id TEXT NOT NULL,
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
                    CREATE INDEX payment_order_original ON payment_order (original);
                    CREATE INDEX payment_order_time ON payment_order (seconds_since_1970);
                    -- One card may have thousands of payments: these find its counters and its latest payments without a scan.
                    CREATE INDEX payment_order_counter ON payment_order (pan_lookup, pan_sequence_number, atc);
                    CREATE INDEX payment_order_card_time ON payment_order (pan_lookup, seconds_since_1970);

                    -- A reversal that came before its order: the order may still come, and is then refused. One without a
                    -- terminal is for the orders of all of them.
                    CREATE TABLE early_reversal (
                        order_id TEXT NOT NULL,
                        terminal_id TEXT NOT NULL,
                        PRIMARY KEY (order_id, terminal_id)
                    ) STRICT;

                    -- Closed batches; the orders in them have the number.
                    CREATE TABLE batch (
                        number INTEGER PRIMARY KEY, terminal_id TEXT NOT NULL, seconds_since_1970 INTEGER NOT NULL
                    ) STRICT;

                    -- The highest application transaction counter that a right ARQC has come with. A card that has begun again has its
                    -- earlier counters no longer.
                    CREATE TABLE card_counter (
                        pan_lookup BLOB NOT NULL,
                        pan_sequence_number INTEGER NOT NULL,
                        atc INTEGER NOT NULL,
                        has_begun_again INTEGER NOT NULL DEFAULT 0,
                        PRIMARY KEY (pan_lookup, pan_sequence_number)
                    ) STRICT;

                    -- The keyed hashes of a card's cryptograms that the host has booked or was told of. They outlive their orders.
                    CREATE TABLE seen_cryptogram (
                        pan_lookup BLOB NOT NULL, cryptogram BLOB NOT NULL, PRIMARY KEY (pan_lookup, cryptogram)
                    ) STRICT, WITHOUT ROWID;
                    """)
        }
        migrator.registerMigration("2") { database in
            try database.execute(
                sql: """
                    -- What an integrator calls an order, once for each terminal.
                    CREATE TABLE external_id (
                        external_id TEXT NOT NULL,
                        terminal_id TEXT NOT NULL,
                        order_id TEXT NOT NULL,
                        PRIMARY KEY (external_id, terminal_id),
                        FOREIGN KEY (order_id, terminal_id) REFERENCES payment_order ON DELETE CASCADE
                    ) STRICT, WITHOUT ROWID;
                    CREATE INDEX external_id_order ON external_id (order_id, terminal_id);

                    ALTER TABLE terminal ADD COLUMN hash_covers_currency INTEGER NOT NULL DEFAULT 0;
                    """)
        }
        return migrator
    }
}
