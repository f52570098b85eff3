// What a simulated process reaches below Swift: time, chance, queues and a disk, all of them decided by one seed.
#ifndef CSIMULATION_H
#define CSIMULATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Makes the calling thread the simulator's. Time and chance are virtual on it and real on every other thread.
void simulation_claim_thread(void);
bool simulation_is_on_its_thread(void);

/// Virtual time in nanoseconds since the start of the run.
int64_t simulation_now(void);
void simulation_set_now(int64_t nanoseconds);
/// What the wall clock shows at the start, in nanoseconds since 1970.
void simulation_set_wall_clock(int64_t nanoseconds);

/// Random bytes for whoever asks the system for them (xoshiro256**).
void simulation_seed_random(uint64_t seed);
void simulation_random_bytes(void *buffer, size_t count);

/// Blocks that were given to dispatch_async, by queue, in the order in which the queues were first used.
int simulation_queue_count(void);
/// The queues that have a block waiting: how many, and their indices.
int simulation_ready_queues(int *indices, int room);
/// Runs the oldest block of the queue.
void simulation_run_queue(int index);
/// Forgets every queue and every block, as the death of a process does.
void simulation_drop_queues(void);

// The disk

/// What SQLite asks of the disk.
typedef enum {
    DISK_OPEN,
    DISK_READ,
    DISK_WRITE,
    DISK_SYNC,
    DISK_TRUNCATE,
    DISK_DELETE
} disk_operation;

/// How the disk answers.
typedef enum {
    /// As it should.
    DISK_WORKS,
    /// With an I/O error; nothing is done.
    DISK_FAILS,
    /// It is full; of a write the first half is there.
    DISK_IS_FULL,
    /// With an I/O error after the first half of a write.
    DISK_WRITES_SHORT,
    /// It says that a sync was done, and it was not.
    DISK_LIES,
    /// The sync fails, and what it was to make lasting never will be.
    DISK_LOSES_SYNC,
    /// The power goes, before the operation. Nothing more reaches the disk until simulation_disk_crash.
    DISK_LOSES_POWER
} disk_answer;

/// Asked before each operation. `name` is the last part of the path.
typedef disk_answer (*disk_judge)(disk_operation operation, const char *name, int64_t offset, int amount);
/// A number below `bound`, 0 being mild.
typedef uint64_t (*disk_draw)(const char *label, uint64_t bound);

/// Registers the disk as SQLite's default; once a process.
void simulation_disk_register(disk_judge judge, disk_draw draw);
/// Forgets every file.
void simulation_disk_erase(void);
bool simulation_disk_has_no_power(void);
void simulation_disk_cut_power(void);
/// Ends all open handles. With `power_is_lost` what was not synced is there by sectors, as drawn; else as written.
void simulation_disk_crash(bool power_is_lost);
/// Flushes a database and its logs, and drops what the system has of them in memory: what a failed flush left there is no longer seen.
/// Nothing happens while somebody has the database open.
void simulation_disk_drop_memory(const char *database);
/// Turns one bit of the file around, in what is lasting; false if there is nothing.
bool simulation_disk_rot(const char *path);
/// Keeps a copy of the files whose names begin with `prefix`, as a backup of them would.
void simulation_disk_back_up(const char *prefix);
/// Puts the copy back in place of the files whose names begin with `prefix`; false if there is no copy.
bool simulation_disk_restore(const char *prefix);
/// Loses the files whose names begin with `prefix`.
void simulation_disk_lose(const char *prefix);
/// Whether `bytes` lie anywhere on the disk, in what is there now or in what is lasting.
bool simulation_disk_contains(const void *bytes, size_t count);
size_t simulation_disk_size(void);

/// The figures of one run of simulation_disk_trial.
typedef struct {
    int crashes;
    int lost_after_acknowledgement;
    int corrupt;
} disk_trial;

/// Commits rows through SQLite with the disk as it is registered, cuts the power and looks at what is left: the disk's own test.
///
/// - `synchronous`: FULL, NORMAL or OFF, as the pragma has it.
disk_trial simulation_disk_trial(const char *synchronous, int cuts);

/// Runs SQL on a file of the disk by a connection of its own.
bool simulation_execute(const char *path, const char *statements);
/// Begins to read a file of the disk by a connection of its own, as a backup program does, and goes on until it is closed.
void *simulation_read_file(const char *path);
void simulation_close_file(void *reader);

#endif
