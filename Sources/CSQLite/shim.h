// The settings of SQLite that have variadic functions, which Swift does not import.
#ifndef CARDPRESENT_CSQLITE_H
#define CARDPRESENT_CSQLITE_H

#include <sqlite3.h>

// Small memory that the connection keeps for parsing and running statements ("lookaside"): `count` slots of `size` bytes.
// SQLITE_BUSY if some of it is in use.
static inline int cardpresent_sqlite_lookaside(sqlite3 *connection, int size, int count) {
    return sqlite3_db_config(connection, SQLITE_DBCONFIG_LOOKASIDE, (void *)0, size, count);
}

#endif
