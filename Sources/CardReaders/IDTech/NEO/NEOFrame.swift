package import DeviceIO

/// Frames of the ViVOtech protocol, version 2 (ID TECH NEO 2 interface developer's guide 80139403-002, "Protocol 2").
///
/// Tag `ViVOtech2` with a zero, command, subcommand or status, length (2 bytes, high first), data,
/// checksum: low byte first from the host, high byte first from the reader.
package struct NEOCommand: Sendable, Equatable {
    static let tag = Array("ViVOtech2".utf8) + [0]
    /// The maximum that the reader accepts.
    static let longestData = 1500

    package let command: UInt8
    package let subcommand: UInt8
    package let data: [UInt8]

    package init(_ command: UInt8, _ subcommand: UInt8, _ data: [UInt8] = []) {
        self.command = command
        self.subcommand = subcommand
        self.data = data
    }

    package var bytes: [UInt8] {
        let body =
            Self.tag + [command, subcommand, UInt8(truncatingIfNeeded: data.count >> 8), UInt8(truncatingIfNeeded: data.count)] + data
        let check = NEOChecksum.over(body)
        return body + [UInt8(check & 0xFF), UInt8(truncatingIfNeeded: check >> 8)]
    }

    package static let ping = NEOCommand(0x18, 0x01)
    package static let firmwareVersion = NEOCommand(0x29, 0x00)
    package static let serialNumber = NEOCommand(0x12, 0x01)
    /// Cancels the command in progress.
    package static let cancel = NEOCommand(0x05, 0x01)

    /// Waits for a stripe.
    ///
    /// - Parameter seconds: The reader gives up after this time.
    package static func activateStripe(seconds: UInt8) -> NEOCommand {
        // DFEF37: the active interfaces; bit 0 is the stripe.
        NEOCommand(0x02, 0x40, [seconds, 0xDF, 0xEF, 0x37, 0x01, 0x01])
    }
}

/// An answer of the reader.
package struct NEOResponse: Sendable, Equatable {
    /// Status codes (80139403-002, "Status codes").
    package enum Status: UInt8, Sendable {
        case ok = 0x00
        case wrongTag = 0x01
        case unknownCommand = 0x02
        case unknownSubcommand = 0x03
        case wrongChecksum = 0x04
        case wrongParameter = 0x05
        case unsupportedParameter = 0x06
        case malformedData = 0x07
        case timeout = 0x08
        case failed = 0x0A
        case notAllowed = 0x0B
        case event = 0x0E
        case onlineRequired = 0x23
    }

    package let command: UInt8
    package let statusCode: UInt8
    package internal(set) var data: [UInt8]

    package var status: Status? { Status(rawValue: statusCode) }

    /// Parses the frame at the beginning of `bytes`.
    ///
    /// - Returns: The frame and its length in bytes; nil if it is incomplete.
    /// - Throws: ``DeviceError/malformed(_:_:)`` if it is not a frame, or its checksum is wrong.
    package static func parse(_ bytes: [UInt8]) throws(DeviceError) -> (response: NEOResponse, count: Int)? {
        guard bytes.prefix(NEOCommand.tag.count).elementsEqual(NEOCommand.tag.prefix(bytes.count)) else {
            throw .malformed(.neoFrame, .invalid)
        }
        guard bytes.count >= 14 else { return nil }
        let length = Int(bytes[12]) << 8 | Int(bytes[13])
        guard length <= longestData else { throw .malformed(.neoFrame, .tooLong(length)) }
        guard bytes.count >= 16 + length else { return nil }
        let check = UInt16(bytes[14 + length]) << 8 | UInt16(bytes[15 + length])
        guard check == NEOChecksum.over(bytes[..<(14 + length)]) else { throw .malformed(.neoFrame, .wrongChecksum) }
        return (NEOResponse(command: bytes[10], statusCode: bytes[11], data: Array(bytes[14..<(14 + length)])), 16 + length)
    }

    private static let longestData = 4096

    /// No received bytes are shown: reads may split a frame anywhere, so each byte may be card
    /// data.
    package static let redaction: WireRecorder.Redaction = { direction, _, bytes in direction == .received ? [0..<bytes.count] : [] }
}

/// CRC-16 with polynomial 1021 and initial value FFFF (80139403-002, "CRC calculation").
enum NEOChecksum {
    static func over(_ bytes: some Sequence<UInt8>) -> UInt16 { CRC16.check(bytes, from: 0xFFFF) }
}
