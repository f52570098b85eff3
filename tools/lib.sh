# Shared by the scripts in tools/: where the package is, and what must be installed. To be sourced.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root" || exit 1

# What tools/demo and tools/test build with, so that the second one does not compile what the first one has:
# - without an index for editors, which takes up to a third of the compiler's time (Tests/XCTMain.swift);
# - each module at once, which takes two thirds of the time of file by file from nothing (the compiler wants a number of threads, or it
#   writes one object file for a module), and its interface not a second time by itself, a seventh;
# - without information for debuggers (DEBUG_INFO=dwarf has it), a seventh: the trace of a crash names functions, and no lines;
# - measured: instrumented tests take hardly longer.
build_options=(-debug-info-format "${DEBUG_INFO:-none}" --disable-index-store --disable-xctest --enable-code-coverage
    -Xswiftc -whole-module-optimization -Xswiftc -num-threads -Xswiftc 2 -Xswiftc -no-emit-module-separately-wmo)
test_build=(--build-tests "${build_options[@]}")

# The compiler remarks for each module that it does not build file by file.
without_remarks() { grep --line-buffered -vE "ignoring '-enable-batch-mode'|Incremental compilation has been disabled"; }

# Runs tests of what was built last, without colors: built_tests [--filter PATTERN] [--skip PATTERN] ...
# `swift test` would take ten seconds of processor time more, to find that there is nothing to be built.
# Eight begin at once, and the next when one has ended: if all did, each would wait behind every other at each of its steps,
# on busy processors for minutes.
# Fifty minutes are far more than they take: a test that waits for ever is to be seen, not waited for.
built_tests() {
    timeout --kill-after 10 3000 .build/debug/swift-card-presentPackageTests.xctest --testing-library swift-testing \
        --experimental-maximum-parallelization-width 8 "$@" 2>&1 |
        sed -u 's/\x1b\[[0-9;]*m//g'
}

# The same, and the lines that they cover are kept for tools/coverage.
measured_tests() {
    local folder=.build/debug/codecov status=0
    rm -rf "$folder"
    LLVM_PROFILE_FILE=$root/$folder/%4m.profraw built_tests "$@" || status=$?
    "$toolchain/llvm-profdata" merge -sparse "$folder"/*.profraw -o "$folder/default.profdata" || status=1
    return "$status"
}

# The toolchain's own llvm-profdata and llvm-cov: others on the PATH may not read its profiles.
toolchain=$(dirname "$(readlink -f "$(command -v swift || echo /usr/bin/swift)")")

# Installs the packages of tools/packages.txt, and of the lists that are named, that are missing; asks for root only if there are any.
install_packages() {
    command -v swift >/dev/null 2>&1 || {
        echo "swift is not on the PATH: install a Swift 6.2 or later toolchain (https://www.swift.org/install/linux)" >&2
        exit 1
    }
    local missing=()
    local package
    while read -r package; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
    done < <(cat tools/packages.txt "$@" | grep -v '^#')
    [ ${#missing[@]} -eq 0 ] && return
    echo "installing ${missing[*]}"
    local sudo=()
    if [ "$(id -u)" -ne 0 ]; then sudo=(sudo); fi
    "${sudo[@]}" apt-get update -qq
    DEBIAN_FRONTEND=noninteractive "${sudo[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# Installs the Python packages of tools/python-packages.txt in an environment of their own, unless they are there.
install_python_packages() {
    local folder=.build/python-peers
    cmp -s tools/python-packages.txt "$folder/installed.txt" && return
    python3 -m venv "$folder"
    "$folder/bin/pip" --quiet install --requirement tools/python-packages.txt
    cp tools/python-packages.txt "$folder/installed.txt"
}
