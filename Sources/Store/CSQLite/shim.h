// What of SQLite Swift does not import: variadic functions, and the methods of its files.
#ifndef CARDPRESENT_CSQLITE_H
#define CARDPRESENT_CSQLITE_H

#include <stdint.h>

#include <sqlite3.h>

// Small memory that the connection keeps for parsing and running statements ("lookaside"): `count` slots of `size` bytes.
// SQLITE_BUSY if some of it is in use.
static inline int cardpresent_sqlite_lookaside(sqlite3 *connection, int size, int count) {
    return sqlite3_db_config(connection, SQLITE_DBCONFIG_LOOKASIDE, (void *)0, size, count);
}

// A place in the write-ahead log: so many frames of the log with this salt.
struct cardpresent_sqlite_log_place {
    uint32_t salt, frames;
};

// The end of the log, from the index that its users share (SQLite, WAL-mode File Format, 2.1).
static inline int cardpresent_sqlite_log_end(sqlite3 *connection, struct cardpresent_sqlite_log_place *end, uint32_t *page_size) {
    sqlite3_file *file = 0;
    int result = sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    if (result != SQLITE_OK) return result;
    // A database in memory has no methods, or none for a log.
    if (!file || !file->pMethods || file->pMethods->iVersion < 2 || !file->pMethods->xShmMap) return SQLITE_NOTFOUND;
    void volatile *index = 0;
    result = file->pMethods->xShmMap(file, 0, 32768, 0, &index);
    if (result != SQLITE_OK) return result;
    if (!index) return SQLITE_NOTFOUND;
    uint32_t volatile const *words = index;
    uint16_t size = ((uint16_t volatile const *)index)[7];
    *page_size = (uint32_t)(size & 0xFE00) + ((uint32_t)(size & 1) << 16);
    *end = (struct cardpresent_sqlite_log_place){words[8], words[4]};
    return SQLITE_OK;
}

// Writes the frames of the log after the first `from` up to `to` once more, as they are, and flushes the log. `frame` has room for one.
static inline int cardpresent_sqlite_write_log_again(
    sqlite3 *connection, uint32_t from, uint32_t to, uint32_t page_size, void *frame
) {
    sqlite3_file *log = 0;
    int result = sqlite3_file_control(connection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
    if (result != SQLITE_OK) return result;
    if (!log || !log->pMethods) return SQLITE_NOTFOUND;
    sqlite3_int64 const size = page_size + 24;
    for (sqlite3_int64 number = from; number < to; number++) {
        result = log->pMethods->xRead(log, frame, (int)size, 32 + number * size);
        if (result == SQLITE_OK) result = log->pMethods->xWrite(log, frame, (int)size, 32 + number * size);
        if (result != SQLITE_OK) return result;
    }
    return log->pMethods->xSync(log, SQLITE_SYNC_FULL);
}

#endif
