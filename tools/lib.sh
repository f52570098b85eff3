# Shared by the scripts in tools/: where the package is, and what must be installed. To be sourced.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root" || exit 1

# What tools/test builds with: each module at once, which takes two thirds of the time of file by file from nothing (the
# compiler wants a number of threads, or it writes one object file for a module), and measured: instrumented tests take
# hardly longer.
test_build=(--build-tests --enable-code-coverage -Xswiftc -whole-module-optimization -Xswiftc -num-threads -Xswiftc 2)

# Installs the packages of tools/packages.txt that are missing; asks for root only if there are any.
install_packages() {
    command -v swift >/dev/null 2>&1 || {
        echo "swift is not on the PATH: install a Swift 6.2 or later toolchain (https://www.swift.org/install/linux)" >&2
        exit 1
    }
    local missing=()
    local package
    while read -r package; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
    done < <(grep -v '^#' tools/packages.txt)
    [ ${#missing[@]} -eq 0 ] && return
    echo "installing ${missing[*]}"
    local sudo=()
    if [ "$(id -u)" -ne 0 ]; then sudo=(sudo); fi
    "${sudo[@]}" apt-get update -qq
    DEBIAN_FRONTEND=noninteractive "${sudo[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}
