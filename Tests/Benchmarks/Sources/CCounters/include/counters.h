/// How often this process has asked for memory so far: malloc, calloc, realloc and aligned forms.
long counted_allocations(void);
/// How often it has waited for the disk so far: fsync and fdatasync.
long counted_flushes(void);
