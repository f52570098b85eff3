#include "fuzzer.h"

static fuzzer_target given;

// Named by the main function of libFuzzer's runtime, which is linked, and not used, in a debug build.
int LLVMFuzzerTestOneInput(const uint8_t *start, size_t count) { return given(start, count); }

int run_fuzzer(int argc, char **argv, fuzzer_target target) {
    given = target;
    return LLVMFuzzerRunDriver(&argc, &argv, LLVMFuzzerTestOneInput);
}
