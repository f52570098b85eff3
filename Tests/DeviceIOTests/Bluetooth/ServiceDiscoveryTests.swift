import Bytes
import Testing

@testable import DeviceIO

/// Requests and answers of the Bluetooth Core Specification, volume 3 part B, 4.7, put together by
/// hand from its tables; the protocol descriptor list is the Serial Port Profile's: L2CAP (`0100`),
/// then RFCOMM (`0003`) with its channel (SPP 1.2, table 6.1).
@Suite struct ServiceDiscoveryTests {
    private func channel(_ text: String) throws -> UInt8? {
        ServiceDiscovery.channels(in: try [UInt8](hex: text)).first
    }

    @Test("a service discovery request is encoded") func request() throws {
        // PDU 06, transaction 1, 13 bytes: the pattern's one class, as many bytes as there are,
        // attribute 0004, no continuation.
        let expected = try [UInt8](hex: "06 0001 000D 3503 191101 FFFF 3503 090004 00".filter { $0 != " " })
        #expect(ServiceDiscovery.request(.serialPort, transaction: 1, continuation: []) == expected)
        let more = try [UInt8](hex: "06 0002 000F 3503 191101 FFFF 3503 090004 02 ABCD".filter { $0 != " " })
        #expect(ServiceDiscovery.request(.serialPort, transaction: 2, continuation: [0xAB, 0xCD]) == more)
    }

    @Test(arguments: [
        // One record with one attribute.
        ("3513 3511 090004 350C 3503190100 3505190003 0801", 1),
        // The UUID of RFCOMM in 32 and in 128 bits.
        ("3515 3513 090004 350E 3503190100 35071A00000003 0805", 5),
        ("3521 351F 090004 351A 3503190100 35131C0000000300001000800000805F9B34FB 081E", 30),
        // Two records: the first that has one counts.
        ("351D 3508 090004 3503190100 3511 090004 350C 3503190100 3505190003 0803", 3),
    ]) func channelOfARecord(_ text: String, _ expected: UInt8) throws {
        #expect(try channel(text.filter { $0 != " " }) == expected)
    }

    @Test("Of two records, both: a headset's on 3 and a serial port's on 5") func everyChannel() throws {
        let text = "3526 3511 090004 350C 3503190100 3505190003 0803 3511 090004 350C 3503190100 3505190003 0805"
        #expect(ServiceDiscovery.channels(in: try [UInt8](hex: text.filter { $0 != " " })) == [3, 5])
    }

    @Test(
        "A record without a channel gives none",
        arguments: [
            "", "3500", "35", "3513 3511 090004", "0804", "3505 190003 0800", "3505 190003 081F",
            "3508 190003 190004 0801",
            "3FFFFFFFFF", "07", "3503 190003",
        ]) func noChannel(_ text: String) throws
    {
        #expect(try channel(text.filter { $0 != " " }) == nil)
    }

    @Test("Sequences in sequences end at some depth; nothing is visited for ever") func deepElements() {
        var bytes: [UInt8] = [0x08, 0x01]
        for _ in 0..<100 where bytes.count < 250 { bytes = [0x35, UInt8(bytes.count)] + bytes }
        #expect(ServiceDiscovery.channels(in: bytes).isEmpty)
    }

    @Test("A part of an answer has its attributes and where to go on") func parts() throws {
        let part = try #require(ServiceDiscovery.Part([0x07, 0, 9, 0, 7, 0, 2, 0xAA, 0xBB, 2, 1, 2], transaction: 9))
        #expect(part.attributes == [0xAA, 0xBB])
        #expect(part.continuation == [1, 2])
        // Another transaction, an error, too short, too long, a continuation that is longer than
        // any.
        #expect(ServiceDiscovery.Part([0x07, 0, 8, 0, 4, 0, 1, 0xAA, 0], transaction: 9) == nil)
        #expect(ServiceDiscovery.Part([0x01, 0, 9, 0, 2, 0, 3], transaction: 9) == nil)
        #expect(ServiceDiscovery.Part([0x07, 0, 9, 0, 4, 0, 9, 0xAA, 0], transaction: 9) == nil)
        #expect(ServiceDiscovery.Part([0x07, 0, 9, 0, 4, 0, 1, 0xAA, 0, 0], transaction: 9) == nil)
        #expect(
            ServiceDiscovery.Part([0x07, 0, 9, 0, 20, 0, 0, 17] + [UInt8](repeating: 0, count: 17), transaction: 9)
                == nil)
        #expect(ServiceDiscovery.Part([], transaction: 9) == nil)
    }

    /// A device whose answers are given, one packet each.
    private func ask(_ answers: [String], closing: Bool = false) throws -> Result<UInt8, DeviceError> {
        let (device, port) = try socketPair(packets: true)
        for answer in answers { device.write(try [UInt8](hex: answer.filter { $0 != " " })) }
        if closing { device.close() }
        let connection = StreamDescriptor(port, call: "test", cancel: nil)
        defer { _ = device }
        return Result { () throws(DeviceError) in
            try ServiceDiscovery.channel(
                of: .serialPort, name: "reader", over: connection, by: .after(.milliseconds(20)))
        }
    }

    @Test func answerInPieces() throws {
        let pieces = [
            "07 0001 000F 000A 3513 3511 090004 350C 35 02 0001", "07 0002 000D 000A 03190100 3505190003 08 00",
        ]
        #expect(try ask(pieces) == .failure(.notOffered("reader")), "cut before the channel")
        let whole = [
            "07 0001 000F 000A 3513 3511 090004 350C 35 02 0001", "07 0002 000E 000B 03190100 3505190003 0807 00",
        ]
        #expect(try ask(whole) == .success(7))
    }

    @Test("misbehaving answers of service discovery are refused") func misbehavior() throws {
        #expect(try ask([]) == .failure(.timedOut))
        #expect(try ask([], closing: true) == .failure(.disconnected))
        #expect(try ask(["07 0001 0005 0002 3500 00"]) == .failure(.notOffered("reader")))
        #expect(try ask(["01 0001 0002 0003"]) == .failure(.malformed(.serviceDiscoveryAnswer, .invalid)))
        let endless = (1...40).map { "07 00" + ($0 < 16 ? "0" : "") + String($0, radix: 16) + " 0006 0001 00 02 0001" }
        #expect(try ask(endless) == .failure(.malformed(.serviceDiscoveryAnswer, .tooManyParts)))
    }
}

@Suite("Bluetooth addresses and service records") struct BluetoothTests {
    @Test("A Bluetooth address is six bytes in either case") func address() {
        #expect(BluetoothAddress("00:11:22:AA:bb:CC")?.bytes == [0x00, 0x11, 0x22, 0xAA, 0xBB, 0xCC])
        #expect(BluetoothAddress("00:11:22:AA:bb:CC")?.description == "00:11:22:AA:BB:CC")
        for text in [
            "", "00:11:22:AA:BB", "00:11:22:AA:BB:CC:DD", "0:11:22:AA:BB:CC", "00:11:22:AA:BB:GG", "001122AABBCC",
            "+0:11:22:AA:BB:CC",
        ] {
            #expect(BluetoothAddress(text) == nil, "\(text)")
        }
    }

    /// Numbers of Linux, asm-generic/errno.h. 113, EHOSTUNREACH, is what the kernel says when no
    /// controller is switched on (`RFCOMMDeviceTests/ownAdapterIsOff`).
    @Test(
        "each error of a Bluetooth connection has its meaning",
        arguments: [
            (112 as Int32, DeviceError.asleep("reader")), (113, .bluetoothUnavailable(.switchedOff)),
            (111, .pairedElsewhere("reader")),
            (13, .pairedElsewhere("reader")), (52, .pairedElsewhere("reader")),
            (16, .busy("reader", holder: nil)), (97, .bluetoothUnavailable(.noAdapter)), (110, .timedOut),
            (125, .cancelled),
            (104, .disconnected),
        ]) func errors(_ code: Int32, _ expected: DeviceError)
    {
        #expect(DeviceError.bluetooth("reader", -code) == expected)
    }
}
