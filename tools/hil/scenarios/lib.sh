# What every scenario begins with: to be sourced in the guest.
set -u
failures=0

say() { echo "--- $*"; }

# expect TEXT COMMAND...: the command's output must hold the text.
expect() {
    local expected=$1
    shift
    local output
    output=$("$@" 2>&1)
    if grep -qF -- "$expected" <<<"$output"; then
        echo "ok    $* → $expected"
    else
        echo "FAILED $* → no \"$expected\" in:"
        echo "$output"
        failures=$((failures + 1))
    fi
}

# expect_status STATUS COMMAND...
expect_status() {
    local expected=$1
    shift
    "$@" >/tmp/last-output 2>&1
    local status=$?
    if [ "$status" -eq "$expected" ]; then
        echo "ok    $* → exit $status"
    else
        echo "FAILED $* → exit $status, not $expected:"
        cat /tmp/last-output
        failures=$((failures + 1))
    fi
}

# eventually COMMAND...: waits until the command succeeds. What comes within seconds takes a minute on a busy machine: the end is a guard
# against what never comes, not a measure.
eventually() {
    local end=$((SECONDS + 180))
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

# The other devices of the machine come later, or need no rules: going through all of them takes the emulated processor three seconds.
start_udev() {
    mkdir -p /run/udev
    /lib/systemd/systemd-udevd --daemon 2>/dev/null
    udevadm trigger --action=add --subsystem-match=usb
    udevadm settle -t 20
}

start_usb() {
    modprobe xhci-pci
    start_udev
}

# Starts a program that plays a device; it gets lines through /tmp/devices/NAME and leaves its own in NAME.log: played NAME COMMAND...
played() {
    local name=$1
    shift
    mkdir -p /tmp/devices
    mkfifo "/tmp/devices/$name"
    "$@" <>"/tmp/devices/$name" >"/tmp/devices/$name.log" 2>"/tmp/devices/$name.errors" &
}

# A USB device of usbip_device.py: usbip NAME KIND [PORT]
usbip() {
    played "$1" /usr/bin/python3 "$PACKAGE/tools/hil/usbip_device.py" "${@:2}"
}

# The readers of the payment scenarios: chip cards are served by `cardpresent card serve`, the swipe readers are swiped twice a second.
payment_readers() {
    modprobe -a vhci-hcd usbhid hid-generic cdc-acm
    ip link set lo up
    start_udev
    usbip ccid-served ccid-served 0
    serve_card ccid 35963
    usbip abecs abecs 1
    serve_card abecs 35964
    usbip miura miura 2
    usbip hid-337 hid-337 3
    usbip hid-887 hid-887 4
    eventually test -c /dev/hidraw1
    udevadm settle -t 20
    # Test numbers: status and lengths of the tracks, card encode type, then 110 bytes for each track (MagTek 99875191).
    local report
    report=$(python3 - <<'P'
one, two = b"%B4761739001010119^TEST CARD/VISA^49121010000000000?", b";4761739001010119=49121010000000000?"
print((bytes([0, 0, 0, len(one), len(two), 0, 0]) + one.ljust(110, b"\0") + two.ljust(110, b"\0") + bytes(110)).hex())
P
)
    echo "swipes $report" >/tmp/devices/hid-337
    echo "swipes $(enciphered_swipe)" >/tmp/devices/hid-887
    echo 'tdes base 0123456789ABCDEFFEDCBA9876543210' >/tmp/swipe-keys.txt
    chmod 600 /tmp/swipe-keys.txt
}

# The report of a swipe in hexadecimal. Layout: MagTek D99875475, appendix D. Key: ANSI X9.24-1:2009, annex A.4, base key
# 0123456789ABCDEFFEDCBA9876543210, counter 8, variant of the PIN.
enciphered_swipe() {
    python3 - <<'P'
import subprocess
tracks = [b"%B4761739001010119^TEST CARD/VISA^49121010000000000?", b";4761739001010119=49121010000000000?"]
shown = [b"%B4761000000000119^TEST CARD/VISA^49120000000000000?", b";4761000000000119=49120000000000000?"]
report = bytearray(887)
for index, track in enumerate(tracks):
    text = track.ljust(-len(track) % 8 + len(track), b"\0")
    hidden = subprocess.run(["openssl", "enc", "-des-ede-cbc", "-K", "27F66D5244FF621EAA6F6120EDEB427F", "-iv", "0" * 16, "-nopad"],
                            input=text, capture_output=True, check=True).stdout
    report[3 + index], report[505 + index], report[852 + index] = len(hidden), len(shown[index]), len(track)
    report[7 + 112 * index:7 + 112 * index + len(hidden)] = hidden
    report[508 + 112 * index:508 + 112 * index + len(shown[index])] = shown[index]
report[493:495] = b"\0\x06"
report[495:505] = bytes.fromhex("FFFF9876543210E00008")
print(bytes(report).hex())
P
}

# serve_card NAME PORT OPTIONS...: the card of a reader that listens at PORT; its CA keys are left in /tmp/NAME-keys.tsv.
serve_card() {
    eventually sh -c "ss -ltn | grep -q :$2"
    "$BUILD/cardpresent" card serve --vpcd --vpcd-address "127.0.0.1:$2" --card visa "${@:3}" --ca-keys "/tmp/$1-keys.tsv" >"/tmp/$1-card.log" 2>&1 &
    eventually grep -q 'the card is inserted' "/tmp/$1-card.log"
}

# Two controllers of BlueZ's emulator, and bluetoothd with these arguments. On a busy machine the kernel gives a controller up whose first answers take too
# long, and bluetoothd never hears of it: then both begin again.
start_bluetooth() {
    modprobe -a bluetooth rfcomm hci_vhci
    mkdir -p /run/dbus
    dbus-daemon --system --fork
    for _ in {1..5}; do
        pkill -x btvirt
        pkill -x bluetoothd
        sleep 1
        btvirt -l2 >/tmp/btvirt.log 2>&1 &
        /usr/libexec/bluetooth/bluetoothd "$@" >/tmp/bluetoothd.log 2>&1 &
        for _ in {1..20}; do
            sleep 1
            bluez hci0 Get string:Address >/dev/null 2>&1 && bluez hci1 Get string:Address >/dev/null 2>&1 && return
        done
    done
}

# Asks bluetoothd for a property of a controller, or sets it: bluez CONTROLLER METHOD ARGUMENTS...
bluez() {
    dbus-send --system --print-reply --dest=org.bluez "/org/bluez/$1" "org.freedesktop.DBus.Properties.$2" string:org.bluez.Adapter1 "${@:3}"
}

# Runs the suites of Tests/*/RealDevices that match: real_device_tests KIND FILTER [COMMAND ...], the command to be put before the
# tests' own. Not one test, or one that is skipped, is a failure.
real_device_tests() {
    local output=/job/tests.log
    if CARDPRESENT_REAL_DEVICES=$1 "${@:3}" "$BUILD/swift-card-presentPackageTests.xctest" --testing-library swift-testing --filter "$2" >$output 2>&1 \
        && grep -qE '^. Test run with [1-9][0-9]* test' $output && ! grep -q 'skipped' $output; then
        grep -E '^✔ (Test|Suite)|measured' $output
    else
        echo "FAILED $2"
        grep -vE '^. (Test|Suite) .* started' $output
        tail -n 8 /tmp/devices/*.log /tmp/devices/*.errors
        failures=$((failures + 1))
    fi
}

finish() {
    [ "$failures" -eq 0 ] && say "all is well"
    exit "$((failures > 0))"
}
