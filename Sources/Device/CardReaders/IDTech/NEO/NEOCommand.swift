import Bytes
package import CardCapture
package import DeviceIO
import EMVKernel
import TLV

/// Frames of the ViVOtech protocol, version 2 (ID TECH NEO 2 interface developer's guide
/// 80139403-002, "Protocol 2").
///
/// Tag `ViVOtech2` with a zero, command, subcommand or status, length (2 bytes, high first), data,
/// checksum: high byte first from the reader, low byte first from the host except for some
/// commands.
package struct NEOCommand: Sendable, Equatable {
    static let tag = Array("ViVOtech2".utf8) + [0]
    /// The maximum that the reader accepts.
    static let longestData = 1500

    /// The order of the two bytes of a command's checksum.
    package enum CheckOrder: Sendable {
        case lowFirst, highFirst
    }

    package let command: UInt8
    package let subcommand: UInt8
    package let data: [UInt8]
    package var checkOrder: CheckOrder

    package init(_ command: UInt8, _ subcommand: UInt8, _ data: [UInt8] = [], checkOrder: CheckOrder = .lowFirst) {
        self.command = command
        self.subcommand = subcommand
        self.data = data
        self.checkOrder = checkOrder
    }

    package var bytes: [UInt8] {
        let body =
            Self.tag + [
                command, subcommand, UInt8(truncatingIfNeeded: data.count >> 8), UInt8(truncatingIfNeeded: data.count),
            ] + data
        let check = NEOChecksum.over(body)
        let (low, high) = (UInt8(check & 0xFF), UInt8(truncatingIfNeeded: check >> 8))
        return body + (checkOrder == .lowFirst ? [low, high] : [high, low])
    }

    package static let ping = NEOCommand(0x18, 0x01)
    package static let firmwareVersion = NEOCommand(0x29, 0x00)
    package static let serialNumber = NEOCommand(0x12, 0x01)
    /// Cancels the command in progress.
    package static let cancel = NEOCommand(0x05, 0x01)

    /// The interfaces where a card is taken, tag `DFEF37` (80139403-002, "Activate Transaction").
    package struct Interfaces: OptionSet, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let stripe = Self(rawValue: 1 << 0)
        package static let field = Self(rawValue: 1 << 1)
    }

    /// Waits for a card, and performs a transaction with one that is held to the field.
    ///
    /// - Parameters:
    ///   - seconds: The reader gives up after this time.
    ///   - request: For the field. Date and time are the reader's own: newer readers refuse others.
    package static func activate(_ interfaces: Interfaces, seconds: UInt8, for request: CaptureRequest? = nil)
        -> NEOCommand
    {
        var objects = TLVBuilder()
        if let request {
            objects.append(.transactionType, [request.kind.rawValue])
            objects.append(.amountAuthorised, BCD.encode(request.amount, count: 6) ?? [])
            objects.append(.amountOther, BCD.encode(request.cashback, count: 6) ?? [])
            objects.append(.transactionCurrencyCode, BCD.encode(UInt64(request.currencyCode), count: 2) ?? [])
            objects.append(.transactionCurrencyExponent, [request.currencyExponent])
        }
        objects.append(.neoInterfaces, [interfaces.rawValue])
        return NEOCommand(0x02, 0x40, [seconds] + objects.bytes)
    }
}

extension Tag {
    static let neoInterfaces: Tag = 0xDFEF37
    /// ID TECH's enhanced envelope of a swipe.
    static let neoSwipe: Tag = 0xDFEE23
    /// The key serial number of enciphered data.
    static let neoKeySerial: Tag = 0xDFEE12
    /// Error code, status word of the card, state of the field; four bytes, not a template.
    static let neoTapError: Tag = 0xFFEE1F
    /// The maker's own data objects.
    static let neoGroup: Tag = 0xFFEE01
    /// The clearing record, with the data of ISO 8583 field 55.
    static let neoClearingRecord: Tag = 0xE1
    /// How the cardholder was verified: 0 not, 1 signature, 2 online PIN, 3 on the device.
    static let neoVerification: Tag = 0xDF52
    /// Tracks of a card in the field that has no EMV data; text, not templates.
    static let neoTrack1: Tag = 0xFFEE13
    static let neoTrack2: Tag = 0xFFEE14
    /// The same in newer firmware.
    static let neoNewTrack1: Tag = 0xDFEF17
    static let neoNewTrack2: Tag = 0xDFEF18
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
        return (
            NEOResponse(command: bytes[10], statusCode: bytes[11], data: Array(bytes[14..<(14 + length)])), 16 + length
        )
    }

    private static let longestData = 4096

    /// No received bytes are shown: reads may split a frame anywhere, so each byte may be card
    /// data.
    package static let redaction: WireRecorder.Redaction = { direction, _, bytes in
        direction == .received ? [0..<bytes.count] : []
    }
}

/// CRC-16 with polynomial 1021 and initial value FFFF (80139403-002, "CRC calculation").
enum NEOChecksum {
    static func over(_ bytes: some Sequence<UInt8>) -> UInt16 { CRC16.check(bytes, from: 0xFFFF) }
}
