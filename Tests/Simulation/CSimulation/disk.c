// A disk in memory behind SQLite's VFS interface, which loses what was not synced when the power goes.
#include "CSimulation.h"
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SECTOR = 512, FILES = 16, LOCKS = 8, REGIONS = 64 };

/// Bytes, as they are or as they are lasting.
typedef struct {
    unsigned char *bytes;
    size_t size, room;
} content;

/// A write that was not synced; one without bytes is a truncation to `offset`.
typedef struct {
    int64_t offset;
    int count;
    unsigned char *bytes;
} change;

typedef struct handle handle;

typedef struct {
    char *name;
    bool exists, lasts;
    content now, lasting;
    change *changes;
    int change_count, change_room;
    /// Memory that connections share, gone with the process.
    void *regions[REGIONS];
    int region_size[REGIONS];
    int shared[LOCKS];
    handle *exclusive[LOCKS];
    /// Of the database lock.
    int readers;
    handle *reserved, *pending, *writer;
} disk_file;

struct handle {
    sqlite3_file base;
    disk_file *file;
    unsigned generation;
    int level;
    bool maps_memory, deletes_on_close;
    unsigned shared_locks, exclusive_locks;
};

static disk_file files[FILES], backup[FILES];
static bool has_backup = false;
static unsigned generation = 1;
static bool power_is_off = false;
static disk_judge judge;
static disk_draw draw;

// MARK: Contents

static void reserve(content *content, size_t size) {
    if (size <= content->room) return;
    size_t room = content->room ? content->room : 4096;
    while (room < size) room *= 2;
    content->bytes = realloc(content->bytes, room);
    memset(content->bytes + content->room, 0, room - content->room);
    content->room = room;
}

static void put(content *content, int64_t offset, const void *bytes, size_t count) {
    reserve(content, (size_t)offset + count);
    memcpy(content->bytes + offset, bytes, count);
    if ((size_t)offset + count > content->size) content->size = (size_t)offset + count;
}

static void cut(content *content, size_t size) {
    if (size < content->size) memset(content->bytes + size, 0, content->size - size);
    reserve(content, size);
    content->size = size;
}

static void copy(content *to, const content *from) {
    cut(to, 0);
    if (from->size) put(to, 0, from->bytes, from->size);
}

static void forget_changes(disk_file *file) {
    for (int index = 0; index < file->change_count; index++) free(file->changes[index].bytes);
    file->change_count = 0;
}

static void note(disk_file *file, int64_t offset, const void *bytes, int count) {
    if (file->change_count == file->change_room)
        file->changes = realloc(file->changes, sizeof(change) * (size_t)(file->change_room = file->change_room * 2 + 16));
    change *change = &file->changes[file->change_count++];
    change->offset = offset;
    change->count = count;
    change->bytes = bytes ? memcpy(malloc((size_t)count), bytes, (size_t)count) : NULL;
}

/// Of a file that was deleted: it does not come back.
static void forget_lasting(disk_file *file) {
    file->lasts = false;
    cut(&file->lasting, 0);
}

static void apply_changes(const disk_file *file, content *content) {
    for (int index = 0; index < file->change_count; index++) {
        change *change = &file->changes[index];
        if (change->bytes) put(content, change->offset, change->bytes, (size_t)change->count);
        else cut(content, (size_t)change->offset);
    }
}

static void make_lasting(disk_file *file) {
    apply_changes(file, &file->lasting);
    forget_changes(file);
    file->lasts = true;
    // A journaling file system writes what happened in folders before with every sync.
    for (int index = 0; index < FILES; index++)
        if (files[index].name && !files[index].exists) forget_lasting(&files[index]);
}

static disk_file *find(const char *path, bool makes) {
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    for (int index = 0; index < FILES; index++)
        if (files[index].name && strcmp(files[index].name, name) == 0) return &files[index];
    if (!makes) return NULL;
    for (int index = 0; index < FILES; index++)
        if (!files[index].name) {
            files[index].name = strdup(name);
            return &files[index];
        }
    return NULL;
}

static disk_answer ask(disk_operation operation, const disk_file *file, int64_t offset, int amount) {
    if (power_is_off) return DISK_LOSES_POWER;
    disk_answer answer = judge(operation, file->name, offset, amount);
    if (answer == DISK_LOSES_POWER) power_is_off = true;
    return answer;
}

static bool is_dead(const handle *handle) { return handle->generation != generation; }

// MARK: Files

static void release_shared_memory(disk_file *file) {
    for (int index = 0; index < REGIONS; index++) {
        free(file->regions[index]);
        file->regions[index] = NULL;
    }
}

static void unlock_all(handle *handle) {
    disk_file *file = handle->file;
    for (int slot = 0; slot < LOCKS; slot++) {
        if (handle->shared_locks & 1u << slot) file->shared[slot]--;
        if (file->exclusive[slot] == handle) file->exclusive[slot] = NULL;
    }
    handle->shared_locks = handle->exclusive_locks = 0;
    if (handle->level > SQLITE_LOCK_NONE) file->readers--;
    if (file->reserved == handle) file->reserved = NULL;
    if (file->pending == handle) file->pending = NULL;
    if (file->writer == handle) file->writer = NULL;
    handle->level = SQLITE_LOCK_NONE;
}

static int disk_close(sqlite3_file *base) {
    handle *handle = (struct handle *)base;
    if (is_dead(handle)) return SQLITE_OK;
    unlock_all(handle);
    if (handle->deletes_on_close) {
        handle->file->exists = handle->file->lasts = false;
        cut(&handle->file->now, 0);
        forget_changes(handle->file);
    }
    return SQLITE_OK;
}

static int disk_read(sqlite3_file *base, void *buffer, int amount, sqlite3_int64 offset) {
    handle *handle = (struct handle *)base;
    if (is_dead(handle)) return SQLITE_IOERR_READ;
    if (ask(DISK_READ, handle->file, offset, amount) != DISK_WORKS) return SQLITE_IOERR_READ;
    const content *now = &handle->file->now;
    size_t there = (size_t)offset < now->size ? now->size - (size_t)offset : 0;
    if (there > (size_t)amount) there = (size_t)amount;
    if (there) memcpy(buffer, now->bytes + offset, there);
    if (there == (size_t)amount) return SQLITE_OK;
    memset((unsigned char *)buffer + there, 0, (size_t)amount - there);
    return SQLITE_IOERR_SHORT_READ;
}

static int disk_write(sqlite3_file *base, const void *bytes, int amount, sqlite3_int64 offset) {
    handle *handle = (struct handle *)base;
    if (is_dead(handle)) return SQLITE_IOERR_WRITE;
    disk_answer answer = ask(DISK_WRITE, handle->file, offset, amount);
    int written = answer == DISK_WORKS ? amount : answer == DISK_IS_FULL || answer == DISK_WRITES_SHORT ? amount / 2 : 0;
    if (written) {
        put(&handle->file->now, offset, bytes, (size_t)written);
        note(handle->file, offset, bytes, written);
    }
    if (answer == DISK_WORKS) return SQLITE_OK;
    return answer == DISK_IS_FULL ? SQLITE_FULL : SQLITE_IOERR_WRITE;
}

static int disk_truncate(sqlite3_file *base, sqlite3_int64 size) {
    handle *handle = (struct handle *)base;
    if (is_dead(handle) || ask(DISK_TRUNCATE, handle->file, size, 0) != DISK_WORKS) return SQLITE_IOERR_TRUNCATE;
    cut(&handle->file->now, (size_t)size);
    note(handle->file, size, NULL, 0);
    return SQLITE_OK;
}

static int flush(disk_file *file) {
    switch (ask(DISK_SYNC, file, 0, file->change_count)) {
    case DISK_WORKS:
        make_lasting(file);
        return SQLITE_OK;
    case DISK_LIES: return SQLITE_OK;
    case DISK_LOSES_SYNC:
        forget_changes(file);
        return SQLITE_IOERR_FSYNC;
    default: return SQLITE_IOERR_FSYNC;
    }
}

static int disk_sync(sqlite3_file *base, int flags) {
    (void)flags;
    handle *handle = (struct handle *)base;
    return is_dead(handle) ? SQLITE_IOERR_FSYNC : flush(handle->file);
}

static int disk_size(sqlite3_file *base, sqlite3_int64 *size) {
    handle *handle = (struct handle *)base;
    if (is_dead(handle)) return SQLITE_IOERR_FSTAT;
    *size = (sqlite3_int64)handle->file->now.size;
    return SQLITE_OK;
}

// MARK: Locks, as the documentation of sqlite3_io_methods has them

static int disk_lock(sqlite3_file *base, int level) {
    handle *handle = (struct handle *)base;
    if (is_dead(handle)) return SQLITE_IOERR_LOCK;
    disk_file *file = handle->file;
    if (level <= handle->level) return SQLITE_OK;
    if (level == SQLITE_LOCK_SHARED) {
        if ((file->pending && file->pending != handle) || (file->writer && file->writer != handle)) return SQLITE_BUSY;
        file->readers++;
    } else if (level == SQLITE_LOCK_RESERVED) {
        if (file->reserved && file->reserved != handle) return SQLITE_BUSY;
        file->reserved = handle;
    } else {
        if (file->pending && file->pending != handle) return SQLITE_BUSY;
        file->pending = handle;
        if (file->readers > 1) {
            handle->level = SQLITE_LOCK_PENDING;
            return SQLITE_BUSY;
        }
        file->writer = handle;
    }
    handle->level = level;
    return SQLITE_OK;
}

static int disk_unlock(sqlite3_file *base, int level) {
    handle *handle = (struct handle *)base;
    if (is_dead(handle)) return SQLITE_OK;
    disk_file *file = handle->file;
    if (level >= handle->level) return SQLITE_OK;
    if (file->reserved == handle) file->reserved = NULL;
    if (file->pending == handle) file->pending = NULL;
    if (file->writer == handle) file->writer = NULL;
    if (level == SQLITE_LOCK_NONE) file->readers--;
    handle->level = level;
    return SQLITE_OK;
}

static int disk_check_reserved(sqlite3_file *base, int *is_reserved) {
    handle *handle = (struct handle *)base;
    *is_reserved = !is_dead(handle) && handle->file->reserved != NULL;
    return SQLITE_OK;
}

static int disk_control(sqlite3_file *base, int operation, void *argument) {
    (void)base, (void)operation, (void)argument;
    return SQLITE_NOTFOUND;
}

static int disk_sector_size(sqlite3_file *base) {
    (void)base;
    return SECTOR;
}

static int disk_characteristics(sqlite3_file *base) {
    (void)base;
    return SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

static int disk_map_memory(sqlite3_file *base, int region, int size, int extends, void volatile **memory) {
    handle *handle = (struct handle *)base;
    *memory = NULL;
    if (is_dead(handle) || region >= REGIONS) return SQLITE_IOERR_SHMMAP;
    handle->maps_memory = true;
    disk_file *file = handle->file;
    if (!file->regions[region]) {
        if (!extends) return SQLITE_OK;
        file->regions[region] = calloc(1, (size_t)size);
    }
    *memory = file->regions[region];
    return SQLITE_OK;
}

static int disk_lock_memory(sqlite3_file *base, int offset, int count, int flags) {
    handle *handle = (struct handle *)base;
    if (is_dead(handle)) return SQLITE_IOERR_SHMLOCK;
    disk_file *file = handle->file;
    for (int slot = offset; slot < offset + count; slot++) {
        unsigned bit = 1u << slot;
        if (flags & SQLITE_SHM_UNLOCK) {
            if (handle->shared_locks & bit) file->shared[slot]--;
            if (file->exclusive[slot] == handle) file->exclusive[slot] = NULL;
            handle->shared_locks &= ~bit;
        } else if (flags & SQLITE_SHM_SHARED) {
            if (file->exclusive[slot] && file->exclusive[slot] != handle) return SQLITE_BUSY;
            if (!(handle->shared_locks & bit)) file->shared[slot]++;
            handle->shared_locks |= bit;
        } else {
            bool others = file->shared[slot] > ((handle->shared_locks & bit) ? 1 : 0);
            if (others || (file->exclusive[slot] && file->exclusive[slot] != handle)) {
                for (int taken = offset; taken < slot; taken++)
                    if (file->exclusive[taken] == handle) file->exclusive[taken] = NULL;
                return SQLITE_BUSY;
            }
            file->exclusive[slot] = handle;
        }
    }
    return SQLITE_OK;
}

static void disk_memory_barrier(sqlite3_file *base) { (void)base; }

static int disk_unmap_memory(sqlite3_file *base, int deletes) {
    handle *handle = (struct handle *)base;
    if (!is_dead(handle) && handle->maps_memory && deletes) release_shared_memory(handle->file);
    handle->maps_memory = false;
    return SQLITE_OK;
}

static const sqlite3_io_methods methods = {
    .iVersion = 2, .xClose = disk_close, .xRead = disk_read, .xWrite = disk_write, .xTruncate = disk_truncate,
    .xSync = disk_sync, .xFileSize = disk_size, .xLock = disk_lock, .xUnlock = disk_unlock,
    .xCheckReservedLock = disk_check_reserved, .xFileControl = disk_control, .xSectorSize = disk_sector_size,
    .xDeviceCharacteristics = disk_characteristics, .xShmMap = disk_map_memory, .xShmLock = disk_lock_memory,
    .xShmBarrier = disk_memory_barrier, .xShmUnmap = disk_unmap_memory};

static int temporary_files = 0;

static int disk_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *base, int flags, int *flags_out) {
    (void)vfs;
    handle *handle = (struct handle *)base;
    memset(handle, 0, sizeof *handle);
    char temporary[32];
    if (!path) {
        snprintf(temporary, sizeof temporary, "temporary-%d", temporary_files++ % 4);
        path = temporary;
    }
    disk_file *file = find(path, true);
    if (!file || (!file->exists && !(flags & SQLITE_OPEN_CREATE))) return SQLITE_CANTOPEN;
    disk_answer answer = ask(DISK_OPEN, file, 0, 0);
    if (answer != DISK_WORKS) return answer == DISK_IS_FULL ? SQLITE_FULL : SQLITE_CANTOPEN;
    if (!file->exists) forget_lasting(file);
    file->exists = true;
    handle->file = file;
    handle->generation = generation;
    handle->deletes_on_close = (flags & SQLITE_OPEN_DELETEONCLOSE) != 0;
    base->pMethods = &methods;
    if (flags_out) *flags_out = flags;
    return SQLITE_OK;
}

static int disk_delete(sqlite3_vfs *vfs, const char *path, int syncs_folder) {
    (void)vfs;
    disk_file *file = find(path, false);
    if (!file || !file->exists) return SQLITE_IOERR_DELETE_NOENT;
    if (ask(DISK_DELETE, file, 0, 0) != DISK_WORKS) return SQLITE_IOERR_DELETE;
    file->exists = false;
    cut(&file->now, 0);
    forget_changes(file);
    if (syncs_folder) forget_lasting(file);
    return SQLITE_OK;
}

static int disk_access(sqlite3_vfs *vfs, const char *path, int flags, int *result) {
    (void)vfs, (void)flags;
    disk_file *file = find(path, false);
    *result = file && file->exists && (flags != SQLITE_ACCESS_EXISTS || file->now.size > 0);
    return SQLITE_OK;
}

static int disk_full_path(sqlite3_vfs *vfs, const char *path, int room, char *full) {
    (void)vfs;
    sqlite3_snprintf(room, full, "%s", path);
    return SQLITE_OK;
}

static int disk_random(sqlite3_vfs *vfs, int count, char *bytes) {
    (void)vfs;
    simulation_random_bytes(bytes, (size_t)count);
    return count;
}

static int disk_sleep(sqlite3_vfs *vfs, int microseconds) {
    (void)vfs;
    simulation_set_now(simulation_now() + (int64_t)microseconds * 1000);
    return microseconds;
}

static int disk_time(sqlite3_vfs *vfs, sqlite3_int64 *milliseconds) {
    (void)vfs;
    // From the Julian epoch.
    *milliseconds = INT64_C(210866760000000) + INT64_C(1773057909000) + simulation_now() / 1000000;
    return SQLITE_OK;
}

static int disk_time_in_days(sqlite3_vfs *vfs, double *days) {
    sqlite3_int64 milliseconds;
    disk_time(vfs, &milliseconds);
    *days = (double)milliseconds / 86400000.0;
    return SQLITE_OK;
}

static int disk_last_error(sqlite3_vfs *vfs, int room, char *text) {
    (void)vfs, (void)room, (void)text;
    return 0;
}

static sqlite3_vfs disk_vfs = {
    .iVersion = 2, .szOsFile = sizeof(handle), .mxPathname = 512, .zName = "simulated", .xOpen = disk_open, .xDelete = disk_delete,
    .xAccess = disk_access, .xFullPathname = disk_full_path, .xRandomness = disk_random, .xSleep = disk_sleep,
    .xCurrentTime = disk_time_in_days, .xGetLastError = disk_last_error, .xCurrentTimeInt64 = disk_time};

void simulation_disk_register(disk_judge new_judge, disk_draw new_draw) {
    judge = new_judge;
    draw = new_draw;
    sqlite3_vfs_register(&disk_vfs, 1);
}

// MARK: Fate

static void forget(disk_file *file) {
    forget_changes(file);
    free(file->changes);
    free(file->now.bytes);
    free(file->lasting.bytes);
    release_shared_memory(file);
    free(file->name);
    memset(file, 0, sizeof *file);
}

void simulation_disk_erase(void) {
    for (int index = 0; index < FILES; index++) {
        forget(&files[index]);
        forget(&backup[index]);
    }
    has_backup = false;
    power_is_off = false;
    // SQLite's own generator begins again, with the seed of this run.
    sqlite3_randomness(0, NULL);
    generation++;
    temporary_files = 0;
}

bool simulation_disk_has_no_power(void) { return power_is_off; }
void simulation_disk_cut_power(void) { power_is_off = true; }

/// Which of the sectors that were written and not synced are there after a power cut.
static void lose_unsynced(disk_file *file) {
    if (!file->exists && draw("file stays deleted", 2) == 0) forget_lasting(file);
    if (file->exists && !file->lasts && draw("file vanishes", 4) == 3) {
        forget_changes(file);
        cut(&file->lasting, 0);
        cut(&file->now, 0);
        file->exists = false;
        return;
    }
    if (file->change_count) {
        // In order: all is lost, all is there, half of it, a tenth, all up to a change, and now and then a sector is neither old nor new.
        uint64_t bias = draw("bias", 6);
        int prefix = bias == 4 ? (int)draw("prefix", (uint64_t)file->change_count + 1) : 0;
        bool has_garbage = bias == 5 && draw("garbage", 4) == 3;
        for (int index = 0; index < file->change_count; index++) {
            change *change = &file->changes[index];
            if (!change->bytes) {
                if (bias == 1 || (bias == 4 && index < prefix) || (bias >= 2 && bias != 4 && draw("cut", 2) == 1))
                    cut(&file->lasting, (size_t)change->offset);
                continue;
            }
            for (int start = 0; start < change->count;) {
                int64_t place = change->offset + start;
                int length = SECTOR - (int)(place % SECTOR);
                if (length > change->count - start) length = change->count - start;
                bool is_there = bias == 1 || (bias == 2 && draw("sector", 2) == 1) || (bias == 3 && draw("sector", 10) == 9)
                    || (bias == 4 && index < prefix) || (bias == 5 && draw("sector", 2) == 1);
                if (is_there) {
                    put(&file->lasting, place, change->bytes + start, (size_t)length);
                    if (has_garbage && draw("garbage sector", 8) == 7)
                        for (int byte = 0; byte < length; byte += 16) file->lasting.bytes[place + byte] = (unsigned char)draw("garbage byte", 256);
                }
                start += length;
            }
        }
        forget_changes(file);
    }
    copy(&file->now, &file->lasting);
    // What is in its folder after all, and what was deleted and comes back.
    file->exists = file->lasts = file->exists || file->lasts;
}

void simulation_disk_crash(bool power_is_lost) {
    generation++;
    for (int index = 0; index < FILES; index++) {
        disk_file *file = &files[index];
        if (!file->name) continue;
        release_shared_memory(file);
        memset(file->shared, 0, sizeof file->shared);
        memset(file->exclusive, 0, sizeof file->exclusive);
        file->readers = 0;
        file->reserved = file->pending = file->writer = NULL;
        if (power_is_lost) lose_unsynced(file);
    }
    power_is_off = false;
}

void simulation_disk_drop_memory(const char *database) {
    static const char *const suffixes[] = {"", "-wal", "-journal"};
    for (size_t index = 0; index < sizeof suffixes / sizeof *suffixes; index++) {
        char path[512];
        snprintf(path, sizeof path, "%s%s", database, suffixes[index]);
        disk_file *file = find(path, false);
        if (!file || !file->exists) continue;
        if (file->readers > 0) return;
        (void)flush(file);
        copy(&file->now, &file->lasting);
        apply_changes(file, &file->now);
    }
}

bool simulation_disk_rot(const char *path) {
    disk_file *file = find(path, false);
    if (!file || !file->exists || file->now.size == 0) return false;
    size_t place = (size_t)draw("rotten byte", file->now.size);
    unsigned char bit = (unsigned char)(1u << draw("rotten bit", 8));
    file->now.bytes[place] ^= bit;
    if (place < file->lasting.size) file->lasting.bytes[place] ^= bit;
    return true;
}

static bool begins(const disk_file *file, const char *prefix) { return file->name && strncmp(file->name, prefix, strlen(prefix)) == 0; }

void simulation_disk_back_up(const char *prefix) {
    for (int index = 0; index < FILES; index++) {
        forget(&backup[index]);
        if (!begins(&files[index], prefix)) continue;
        backup[index].name = strdup(files[index].name);
        backup[index].exists = backup[index].lasts = files[index].exists;
        copy(&backup[index].now, &files[index].now);
        copy(&backup[index].lasting, &files[index].now);
    }
    has_backup = true;
}

bool simulation_disk_restore(const char *prefix) {
    if (!has_backup) return false;
    generation++;
    for (int index = 0; index < FILES; index++)
        if (begins(&files[index], prefix)) forget(&files[index]);
    for (int index = 0; index < FILES; index++) {
        if (!backup[index].name) continue;
        int place = index;
        for (int other = 0; files[place].name && other < FILES; other++) place = other;
        if (files[place].name) abort();
        files[place] = backup[index];
        memset(&backup[index], 0, sizeof backup[index]);
    }
    has_backup = false;
    return true;
}

void simulation_disk_lose(const char *prefix) {
    generation++;
    for (int index = 0; index < FILES; index++)
        if (begins(&files[index], prefix)) forget(&files[index]);
}

static bool content_has(const content *content, const void *bytes, size_t count) {
    const unsigned char *start = content->bytes;
    const unsigned char *end = start + content->size;
    while (start && (size_t)(end - start) >= count) {
        start = memchr(start, *(const unsigned char *)bytes, (size_t)(end - start) - count + 1);
        if (!start) return false;
        if (memcmp(start, bytes, count) == 0) return true;
        start++;
    }
    return false;
}

bool simulation_disk_contains(const void *bytes, size_t count) {
    for (int index = 0; index < FILES; index++)
        if (content_has(&files[index].now, bytes, count) || content_has(&files[index].lasting, bytes, count)) return true;
    return false;
}

size_t simulation_disk_size(void) {
    size_t size = 0;
    for (int index = 0; index < FILES; index++) size += files[index].now.size;
    return size;
}

// MARK: The disk's own test

static bool run(sqlite3 *database, const char *text) { return sqlite3_exec(database, text, NULL, NULL, NULL) == SQLITE_OK; }

static int first_number(sqlite3 *database, const char *text, int otherwise) {
    sqlite3_stmt *statement = NULL;
    int value = otherwise;
    if (sqlite3_prepare_v2(database, text, -1, &statement, NULL) == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW)
        value = sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    return value;
}

static bool is_sound(sqlite3 *database) {
    sqlite3_stmt *statement = NULL;
    bool sound = sqlite3_prepare_v2(database, "PRAGMA integrity_check", -1, &statement, NULL) == SQLITE_OK
        && sqlite3_step(statement) == SQLITE_ROW && strcmp((const char *)sqlite3_column_text(statement, 0), "ok") == 0;
    sqlite3_finalize(statement);
    return sound;
}

disk_trial simulation_disk_trial(const char *synchronous, int cuts) {
    disk_trial trial = {0};
    int acknowledged = 0;
    char pragmas[128];
    snprintf(pragmas, sizeof pragmas, "PRAGMA journal_mode = WAL; PRAGMA synchronous = %s; PRAGMA wal_autocheckpoint = 8", synchronous);
    for (int life = 0; life <= cuts; life++) {
        sqlite3 *database = NULL;
        bool opens = sqlite3_open("/trial.sqlite", &database) == SQLITE_OK && run(database, pragmas)
            && run(database, "CREATE TABLE IF NOT EXISTS row (number INTEGER PRIMARY KEY, filling BLOB)");
        if (opens && life > 0) {
            if (!is_sound(database)) trial.corrupt++;
            else if (first_number(database, "SELECT coalesce(max(number), 0) FROM row", 0) < acknowledged) trial.lost_after_acknowledgement++;
        } else if (!power_is_off && life > 0) {
            trial.corrupt++;
        }
        // What is gone is not missed twice.
        acknowledged = opens ? first_number(database, "SELECT coalesce(max(number), 0) FROM row", 0) : 0;
        int commits = 1 + (int)draw("commits", 60);
        for (int commit = 0; opens && commit < commits; commit++) {
            char insert[96];
            snprintf(insert, sizeof insert, "INSERT INTO row VALUES (%d, randomblob(%d))", acknowledged + 1, 100 + (commit * 37) % 900);
            if (!run(database, insert)) break;
            acknowledged++;
        }
        if (life < cuts) {
            trial.crashes++;
            // The handles of a dead process answer nothing but errors: closing them only frees memory.
            simulation_disk_crash(true);
        }
        sqlite3_close_v2(database);
    }
    return trial;
}

// MARK: Others who look into the files

bool simulation_execute(const char *path, const char *statements) {
    sqlite3 *database = NULL;
    bool works = sqlite3_open(path, &database) == SQLITE_OK && run(database, statements);
    sqlite3_close(database);
    return works;
}

void *simulation_read_file(const char *path) {
    sqlite3 *database = NULL;
    if (sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK && run(database, "BEGIN"))
        first_number(database, "SELECT count(*) FROM sqlite_schema", 0);
    return database;
}

void simulation_close_file(void *reader) { sqlite3_close(reader); }
