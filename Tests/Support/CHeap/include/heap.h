/// Bytes that are allocated and not freed, of all arenas and mappings: Swift's Glibc module does not have mallinfo2(3).
long heap_in_use(void);
