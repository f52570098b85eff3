# What every scenario begins with: to be sourced in the guest.
set -u
failures=0

say() { echo "--- $*"; }

# expect TEXT COMMAND...: the command's output must hold the text.
expect() {
    local wanted=$1
    shift
    local output
    output=$("$@" 2>&1)
    if grep -qF -- "$wanted" <<<"$output"; then
        echo "ok    $* → $wanted"
    else
        echo "FAILED $* → no \"$wanted\" in:"
        echo "$output"
        failures=$((failures + 1))
    fi
}

# expect_status STATUS COMMAND...
expect_status() {
    local wanted=$1
    shift
    "$@" >/tmp/last-output 2>&1
    local status=$?
    if [ "$status" -eq "$wanted" ]; then
        echo "ok    $* → exit $status"
    else
        echo "FAILED $* → exit $status, not $wanted:"
        cat /tmp/last-output
        failures=$((failures + 1))
    fi
}

# eventually SECONDS COMMAND...: the command must succeed within so many seconds.
eventually() {
    local end=$((SECONDS + $1))
    shift
    until "$@" >/dev/null 2>&1; do
        if [ $SECONDS -ge $end ]; then
            echo "FAILED never: $*"
            failures=$((failures + 1))
            return 1
        fi
        sleep 0.1
    done
    echo "ok    $*"
}

# Asks the host for something: control card remove; control qmp '{"execute": …}'
control() {
    exec 9<>"$CONTROL"
    echo "$*" >&9
    IFS= read -r -t 20 answer <&9
    exec 9>&-
    echo "$answer"
}

start_udev() {
    mkdir -p /run/udev
    /lib/systemd/systemd-udevd --daemon 2>/dev/null
    udevadm trigger --action=add
    udevadm settle -t 20
}

start_usb() {
    modprobe xhci-pci
    start_udev
}

finish() {
    [ "$failures" -eq 0 ] && say "all is well"
    exit "$((failures > 0))"
}
