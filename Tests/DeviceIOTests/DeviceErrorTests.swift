import Testing

@testable import DeviceIO

@Suite struct DeviceErrorTests {
    @Test("Each names what to do about it") func texts() {
        let texts: [(DeviceError, String)] = [
            (.notFound("/dev/ttyUSB0"), "connect it"), (.accessDenied("/dev/hidraw0"), "udev rules"),
            (.busy("/dev/hidraw0", holder: "screen (process 7)"), "screen (process 7): stop it"),
            (.busy("/dev/bus/usb/001/002", holder: "pcscd (process 7)"), "cardpresent apdu --pcsc"),
            (.busy("/dev/hidraw0", holder: nil), "cardpresent doctor"), (.asleep("00:11:22:33:44:55"), "wake it"),
            (.pairedElsewhere("00:11:22:33:44:55"), "unpair it there"), (.notOffered("00:11:22:33:44:55"), "serial"),
            (.channelNotOffered("00:11:22:33:44:55", 9), "channel 9"),
            (.notListening("10.0.0.7:6543"), "check address and port"), (.disconnected, "disconnected"),
            (.timedOut, "in time"),
            (.cancelled, "cancelled"), (.stalled, "refused"),
            (.malformed(.hidReport, .truncated), "HID report: truncated"),
            (.system(call: "open", code: 5), "open failed: Input/output error"),
        ]
        for (error, part) in texts { #expect(error.description.contains(part), "\(error)") }
    }

    /// Point A2 of docs/requirements.md. The list is written by hand: what is in it may not change.
    @Test("each has a code that stays") func codes() {
        let devices: [(DeviceError, String)] = [
            (.notFound(""), "notFound"), (.accessDenied(""), "accessDenied"), (.busy("", holder: nil), "busy"),
            (.disconnected, "disconnected"), (.timedOut, "timedOut"), (.cancelled, "cancelled"),
            (.asleep(""), "asleep"),
            (.pairedElsewhere(""), "pairedElsewhere"), (.bluetoothUnavailable(.noBus), "bluetoothUnavailable"),
            (.notOffered(""), "notOffered"), (.channelNotOffered("", 1), "channelNotOffered"),
            (.notListening(""), "notListening"),
            (.stalled, "stalled"), (.rejected(.monitorStopped), "rejected"),
            (.malformed(.hidReport, .truncated), "malformed"),
            (.system(call: "open", code: 5), "system"),
        ]
        for (error, code) in devices { #expect(error.code.rawValue == code) }
        #expect(devices.map(\.0.code) == DeviceError.Code.allCases)
    }

    @Test(
        "Numbers of Linux, asm-generic/errno.h and errno-base.h",
        arguments: [
            (2 as Int32, DeviceError.notFound("x")), (19, .notFound("x")), (6, .notFound("x")),
            (13, .accessDenied("x")),
            (1, .accessDenied("x")),
            (16, .busy("x", holder: nil)), (11, .busy("x", holder: nil)), (110, .timedOut), (125, .cancelled),
            (22, .system(call: "open", code: 22)),
        ]) func opening(_ code: Int32, _ expected: DeviceError)
    { #expect(DeviceError.opening("x", -code, "open") == expected) }

    @Test(
        "A system error during an exchange is the error that it means",
        arguments: [
            (19 as Int32, DeviceError.disconnected), (5, .disconnected), (6, .disconnected), (104, .disconnected),
            (108, .disconnected),
            (32, .stalled),
            (110, .timedOut), (125, .cancelled), (90, .system(call: "read", code: 90)),
        ]) func exchange(_ code: Int32, _ expected: DeviceError)
    { #expect(DeviceError.system("read", -code) == expected) }

    @Test("A negative result throws and every other is returned") func checking() throws {
        #expect(try check(CInt(7), "call") == 7)
        #expect(throws: DeviceError.timedOut) { try check(-110, "call") }
    }
}
