#ifndef CARDPRESENT_FUZZER_H
#define CARDPRESENT_FUZZER_H

#include <stddef.h>
#include <stdint.h>

typedef int (*fuzzer_target)(const uint8_t *start, size_t count);

/// libFuzzer's own entry point, in the runtime that -sanitize=fuzzer links.
int LLVMFuzzerRunDriver(int *argc, char ***argv, fuzzer_target target);

/// Runs libFuzzer with the process's arguments.
int run_fuzzer(int argc, char **argv, fuzzer_target target);

#endif
