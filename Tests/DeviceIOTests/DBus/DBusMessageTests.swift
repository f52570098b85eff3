import Foundation
import Testing

@testable import DeviceIO

@Suite struct DBusMessageTests {
    /// GLib's messages, with values of every type, in both byte orders: what
    /// `Tests/Peers/dbus_message.py` has in `BODIES`.
    @Test(arguments: ["little", "big"]) func readsGLibsMessages(_ order: String) throws {
        let bodies: [[DBusValue]] = [
            [
                .byte(0x2A), .boolean(true), .number(0xFFFE, code: UInt8(ascii: "n")),
                .number(65534, code: UInt8(ascii: "q")),
                .number(0xFFFF_FFFD, code: UInt8(ascii: "i")), .uint32(4_000_000_000),
            ],
            [
                .number(UInt64(bitPattern: -5), code: UInt8(ascii: "x")), .number(.max, code: UInt8(ascii: "t")),
                .number((1.5).bitPattern, code: UInt8(ascii: "d")), .string("text"), .objectPath("/org/bluez"),
                .signature("a{sv}"),
            ],
            [
                .bytes([1, 2]), .array([.string("a"), .string("bc"), .string("")], of: .string),
                .array([.number(7, code: UInt8(ascii: "x"))], of: .basic(UInt8(ascii: "x"))), .array([], of: .string),
                .array(
                    [.structure([.byte(1), .number(2, code: UInt8(ascii: "t"))])],
                    of: .structure([.byte, .basic(UInt8(ascii: "t"))])),
            ],
        ]
        let messages = try peer("write", order).map { try #require(DBusMessage(try [UInt8](hexadecimal: $0))) }
        #expect(messages.count == 5)
        for (number, message) in messages.enumerated() {
            #expect(message.kind == .signal)
            #expect(message.serial == UInt32(number + 1))
            #expect(message.path == "/org/bluez")
            #expect(message.interface == "org.bluez.Test")
            #expect(message.member == "Changed")
            #expect(message.sender == ":1.7")
            #expect(message.destination == nil)
            #expect(message.answers == nil)
            #expect(message.failure == nil)
        }
        for (message, body) in zip(messages, bodies) { #expect(message.body == body) }
        let properties = try #require(messages[3].body.first?.dictionary)
        #expect(properties["Name"]?.text == "Miura 001")
        #expect(properties["Paired"]?.flag == true)
        #expect(properties["UUIDs"]?.elements?.compactMap(\.text) == ["00001101-0000-1000-8000-00805f9b34fb"])
        let inner = DBusValue.structure([.number(1, code: UInt8(ascii: "n")), .variant(.string("x"))])
        #expect(properties["Nested"] == .variant(.variant(inner)))
        let objects = try #require(messages[4].body.first?.dictionary)
        #expect(objects["/org/bluez/hci0"]?.dictionary?["org.bluez.Adapter1"]?.dictionary?["Powered"]?.flag == true)
    }

    /// What we write, as GLib reads it: kind 1 is a call, flag 2 keeps programs from being started.
    @Test func writesWhatGLibReads() throws {
        var call = DBusMessage.call(
            "org.bluez", path: "/org/bluez/hci0", interface: "org.bluez.Adapter1", member: "SetDiscoveryFilter",
            body: [
                .array(
                    [.entry(key: .string("Transport"), value: .variant(.string("bredr")))],
                    of: .entry(.string, .variant)),
                .byte(7), .number(1 << 40, code: UInt8(ascii: "t")), .boolean(false), .signature("ai"),
                .bytes([1, 2, 3]),
                .structure([.objectPath("/a"), .number(9, code: UInt8(ascii: "q"))]),
                .array([], of: .structure([.string])),
            ])
        call.serial = 77
        let said = try peer("read", call.encoded().hexadecimal)
        #expect(
            said == [
                "1 77 2 /org/bluez/hci0 org.bluez.Adapter1 SetDiscoveryFilter org.bluez ({'Transport': <'bredr'>}, byte 0x07, uint64 1099511627776, "
                    + "false, signature 'ai', [byte 0x01, 0x02, 0x03], (objectpath '/a', uint16 9), @a(s) [])"
            ])
        var empty = DBusMessage.call(
            "org.bluez", path: "/", interface: "org.freedesktop.DBus.ObjectManager", member: "GetManagedObjects")
        empty.serial = 1
        #expect(
            try peer("read", empty.encoded().hexadecimal).first?.hasSuffix("GetManagedObjects org.bluez none") == true)
        #expect(DBusMessage(call.encoded()) == call)
        #expect(DBusMessage(empty.encoded()) == empty)
    }

    /// D-Bus Specification, Summary of D-Bus marshalling: the strings "foo", "+" and "bar" one
    /// after the other, and an array with one INT64 of 5 that begins at the offset 0.
    @Test func examplesOfTheSpecification() {
        var strings = DBusWriter()
        for text in ["foo", "+", "bar"] { strings.write(.string(text)) }
        #expect(
            strings.bytes == [
                0x03, 0, 0, 0, 0x66, 0x6F, 0x6F, 0, 0x01, 0, 0, 0, 0x2B, 0, 0, 0, 0x03, 0, 0, 0, 0x62, 0x61, 0x72, 0,
            ])
        var reader = DBusReader([0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5], isBigEndian: true)
        let wide = DBusType.basic(UInt8(ascii: "x"))
        #expect(reader.read([.array(wide)]) == [.array([.number(5, code: UInt8(ascii: "x"))], of: wide)])
    }

    @Test("Type System: valid and invalid signatures") func signatures() {
        for text in ["", "y", "aaaai", "(ii)", "(i(ii))", "a{sv}", "a{oa{sa{sv}}}", "sa{sv}as", "ybnqiuxtdsoghv"] {
            #expect(DBusType.parse(text.utf8)?.flatMap(\.signature) == Array(text.utf8), "\(text)")
        }
        for text in ["a", "(", "(ii", "aa(ii", ")", "()", "{sv}", "a{vs}", "a{s}", "a{sii}", "a{(i)s}", "z", "r", "e"] {
            #expect(DBusType.parse(text.utf8) == nil, "\(text)")
        }
        let (arrays, structures) = (String(repeating: "a", count: 32), String(repeating: "(", count: 32))
        #expect(DBusType.parse((arrays + "i").utf8) != nil)
        #expect(DBusType.parse((arrays + "ai").utf8) == nil)
        let ends = String(repeating: ")", count: 32)
        #expect(DBusType.parse((structures + "i" + ends).utf8) != nil)
        #expect(DBusType.parse(("(" + structures + "i" + ends + ")").utf8) == nil)
        #expect(DBusType.parse(String(repeating: "i", count: 255).utf8) != nil)
        #expect(DBusType.parse(String(repeating: "i", count: 256).utf8) == nil)
    }

    @Test(
        "Cut anywhere it is not a message, changed anywhere it is one or none, and never more than it says",
        arguments: ["little", "big"])
    func damage(_ order: String) throws {
        for text in try peer("write", order) {
            let bytes = try [UInt8](hexadecimal: text)
            for count in 0..<bytes.count {
                #expect(DBusMessage(Array(bytes.prefix(count))) == nil)
                let length = try DBusMessage.length(beginning: Array(bytes.prefix(count)))
                #expect(count < 16 ? length == nil : length == bytes.count)
            }
            #expect(DBusMessage(bytes + [0]) == nil)
            for place in bytes.indices {
                for change in [0x01, 0x10, 0x80, 0xFF] as [UInt8] {
                    var damaged = bytes
                    damaged[place] ^= change
                    if let message = DBusMessage(damaged) { #expect(message.encoded().count <= 2 * bytes.count) }
                }
            }
        }
    }

    @Test func lengthsThatLie() throws {
        var long = DBusMessage.call("a.b", path: "/", interface: "a.b", member: "C").encoded()
        long.replaceSubrange(4..<8, with: [0, 0, 64, 0])
        #expect(throws: DeviceError.self) { try DBusMessage.length(beginning: long) }
        long.replaceSubrange(4..<8, with: [0xFF, 0xFF, 0xFF, 0xFF])
        #expect(throws: DeviceError.self) { try DBusMessage.length(beginning: long) }
        #expect(throws: DeviceError.malformed(.dbusMessage, .invalid)) {
            try DBusMessage.length(beginning: Array("HTTP/1.1 200 OK\r\n".utf8))
        }
        // Variants in variants, deeper than anybody has them.
        var deep = DBusValue.byte(1)
        for _ in 0..<100 { deep = .variant(deep) }
        var message = DBusMessage(.signal)
        message.serial = 1
        message.body = [deep]
        #expect(DBusMessage(message.encoded()) == nil)
    }

    @Test(
        "An address of a bus gives the path of its socket",
        arguments: [
            ("unix:path=/run/dbus/system_bus_socket", Array("/run/dbus/system_bus_socket".utf8)),
            ("unix:abstract=/tmp/bus,guid=00", [0] + Array("/tmp/bus".utf8)),
            ("tcp:host=a,port=1;unix:guid=1,path=/a%20b", Array("/a b".utf8)),
        ]) func addresses(_ text: String, _ path: [UInt8])
    { #expect(DBusAddress(text)?.path == path) }

    @Test(
        "Texts that are not an address of a bus are refused",
        arguments: [
            "", "tcp:host=localhost,port=4", "unix:tmpdir=/tmp", "unix:path=", "unix:path=/a%2", "unix:path=%00",
            "/run/dbus",
        ])
    func noAddresses(_ text: String) { #expect(DBusAddress(text) == nil) }

    private func peer(_ arguments: String...) throws -> [String] {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/python3")
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Peers").standardized
        process.arguments = [folder.appending(path: "dbus_message.py").path(percentEncoded: false)] + arguments
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let said = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "python3-gi of tools/packages.txt is missing")
        return String(decoding: said, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}

extension [UInt8] {
    fileprivate init(hexadecimal text: String) throws {
        let digits = Array(text.utf8)
        self = try stride(from: 0, to: digits.count, by: 2).map { index in
            try #require(UInt8(String(decoding: digits[index..<(index + 2)], as: UTF8.self), radix: 16))
        }
    }

    fileprivate var hexadecimal: String { map { String(format: "%02x", $0) }.joined() }
}
