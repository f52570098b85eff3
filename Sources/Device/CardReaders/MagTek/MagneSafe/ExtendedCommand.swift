import Bytes
package import DeviceIO

/// A command with a number of two bytes and data of any length, for the MagneSafe V5 readers that
/// have a chip reader (D998200115, eDynamo programmer's manual, commands 49 and 4A): command and
/// answer are transferred in packets.
package struct ExtendedCommand: Sendable, Equatable {
    package let number: UInt16
    package let data: [UInt8]

    package init(_ number: UInt16, _ data: [UInt8] = []) {
        self.number = number
        self.data = data
    }

    /// Before a packet's data: offset, number, total length; 2 bytes each.
    static let header = 6
    static let longestData = 0xFFFF

    package static let startTransaction: UInt16 = 0x0300
    package static let selectionResult: UInt16 = 0x0302
    package static let issuerAnswer: UInt16 = 0x0303
    package static let cancelTransaction: UInt16 = 0x0304
    package static let dateAndTime: UInt16 = 0x030D

    /// The plain commands that carry this one.
    ///
    /// - Parameter payload: The maximum number of data bytes in a plain command: 58 over USB.
    /// - Throws: ``DeviceError/rejected(_:)`` if the reader's commands are too short for such
    ///   packets, or the data are too long.
    package func packets(payload: Int) throws(DeviceError) -> [MagneSafeCommand] {
        let size = payload - Self.header
        guard size > 0, data.count <= Self.longestData else { throw .rejected(.dataTooLong(maximum: Self.longestData)) }
        return stride(from: 0, to: max(data.count, 1), by: size).map { offset in
            let part = data[offset..<min(offset + size, data.count)]
            return MagneSafeCommand(
                0x49,
                [offset, Int(number), data.count].flatMap { [UInt8(truncatingIfNeeded: $0 >> 8), UInt8($0 & 0xFF)] }
                    + part)
        }
    }

    /// Asks for the next packet of the answer.
    static let more = MagneSafeCommand(0x4A)
}

/// Reassembles the answer to an extended command from its packets (D998200115, tables 8-33 and
/// 8-34).
package struct ExtendedResponse: Sendable, Equatable {
    /// 0 is success.
    package private(set) var resultCode: UInt16 = 0
    package private(set) var data: [UInt8] = []
    private var length: Int?

    package init() {}

    package var isWhole: Bool { length == data.count }

    /// Why the reader refused the command, and what helps (D998200115-17, section 8.4).
    var refusal: DeviceError.Refusal {
        switch resultCode {
        case 0x0381, 0x0383: .noKey
        case 0x0382: .keysExhausted
        case 0x0387: .invalidAmount
        case 0x038A: .invalidCurrency
        case 0x038D: .noTransaction
        case 0x038F: .transactionInProgress
        case 0x0396: .clockNotSet
        default: .status([UInt8(truncatingIfNeeded: resultCode >> 8), UInt8(resultCode & 0xFF)].hex)
        }
    }

    /// - Throws: ``DeviceError/malformed(_:_:)`` if a packet is truncated or out of order.
    package mutating func add(_ packet: [UInt8]) throws(DeviceError) {
        guard packet.count >= ExtendedCommand.header else { throw .malformed(.extendedAnswer, .truncated) }
        let fields = [0, 2, 4].map { Int(packet[$0]) << 8 | Int(packet[$0 + 1]) }
        let part = packet[ExtendedCommand.header...]
        guard fields[0] == data.count, length == nil || length == fields[2], data.count + part.count <= fields[2],
            !part.isEmpty || fields[2] == 0
        else { throw .malformed(.extendedAnswer, .incomplete) }
        length = fields[2]
        resultCode = UInt16(truncatingIfNeeded: fields[1])
        data += part
    }
}

/// A notification of a reader with a chip reader during a transaction, in input report 2: length of
/// this part, its offset, identifier, total length (2 bytes each), data (D998200115, table 7-2).
package struct ExtendedNotification: Sendable, Equatable {
    package enum Kind: UInt16, Sendable {
        case transactionStatus = 0x0300
        case displayMessage = 0x0301
        case selectionRequest = 0x0302
        case cardData = 0x0303
        case result = 0x0304
    }

    package let identifier: UInt16
    package let data: [UInt8]
    package var kind: Kind? { Kind(rawValue: identifier) }

    static let report: UInt8 = 2

    /// Reassembles notifications from their parts.
    package struct Assembler: Sendable {
        private var identifier: UInt16 = 0
        private var data: [UInt8] = []

        package init() {}

        /// - Returns: The notification, if the part completes one. If a part was lost, the rest of
        ///   its notification is skipped.
        /// - Throws: ``DeviceError/malformed(_:_:)`` if the length of the part is wrong.
        package mutating func take(_ part: [UInt8]) throws(DeviceError) -> ExtendedNotification? {
            guard part.count >= 8 else { throw .malformed(.notification, .truncated) }
            let fields = [0, 2, 4, 6].map { Int(part[$0]) << 8 | Int(part[$0 + 1]) }
            let (count, offset, whole) = (fields[0], fields[1], fields[3])
            guard part.count >= 8 + count, offset + count <= whole else { throw .malformed(.notification, .truncated) }
            if offset == 0 {
                data = []
                identifier = UInt16(truncatingIfNeeded: fields[2])
            }
            guard offset == data.count, identifier == UInt16(truncatingIfNeeded: fields[2]) else { return nil }
            data += part[8..<(8 + count)]
            guard data.count == whole else { return nil }
            defer { data = [] }
            return ExtendedNotification(identifier: identifier, data: data)
        }
    }
}
