internal import Bytes

/// A block of T=1 (ISO/IEC 7816-3:2006, 11.3): NAD, PCB, LEN, information field and check bytes.
public struct T1Block: Sendable, Equatable {
    /// The meaning of the protocol control byte.
    public enum Control: Sendable, Equatable {
        /// N(S), and whether the chain continues.
        case information(number: UInt8, more: Bool)
        /// N(R), the number of the expected block.
        case receiveReady(number: UInt8, ReceiveError)
        case supervisory(Supervision, isResponse: Bool)
    }

    public enum ReceiveError: UInt8, Sendable {
        case none = 0
        case checksumOrParity = 1
        case other = 2
    }

    public enum Supervision: UInt8, Sendable {
        case resynchronisation = 0
        case informationFieldSize = 1
        case abort = 2
        case waitingTimeExtension = 3
    }

    public let control: Control
    /// At most 254 bytes.
    public var information: [UInt8] { content.wrappedValue }
    private let content: Wiped

    public init(_ control: Control, _ information: [UInt8] = []) {
        self.control = control
        content = Wiped(information)
    }

    /// The block as it is sent, to node address 0.
    public func bytes(_ checksum: CardParameters.Checksum) -> [UInt8] {
        let body = [0, protocolControl, UInt8(truncatingIfNeeded: information.count)] + information
        return body + Self.check(body, checksum)
    }

    public enum ParsingError: Error, Equatable, Sendable, CustomStringConvertible {
        case checksum
        case other

        public var description: String {
            switch self {
            case .checksum: "the check bytes of the block are wrong"
            case .other: "the block is not one of T=1"
            }
        }
    }

    public init(parsing bytes: [UInt8], _ checksum: CardParameters.Checksum) throws(ParsingError) {
        let width = checksum == .lrc ? 1 : 2
        guard bytes.count >= 3 + width, bytes.count == 3 + Int(bytes[2]) + width else { throw .other }
        guard Self.check(bytes.dropLast(width), checksum) == Array(bytes.suffix(width)) else { throw .checksum }
        guard bytes[0] == 0, bytes[2] != 0xFF, let control = Self.control(bytes[1]) else { throw .other }
        content = Wiped(Array(bytes.dropFirst(3).dropLast(width)))
        self.control = control
        switch control {
        case .information: break
        case .receiveReady: guard information.isEmpty else { throw .other }
        case .supervisory(.informationFieldSize, _), .supervisory(.waitingTimeExtension, _):
            guard information.count == 1 else { throw .other }
        case .supervisory: guard information.isEmpty else { throw .other }
        }
    }

    /// Adds the information field to `answer`.
    func appendInformation(to answer: inout Wiped) {
        content.withBytes { unsafe $0.withUnsafeBufferPointer { unsafe answer.append(contentsOf: $0) } }
    }

    private var protocolControl: UInt8 {
        switch control {
        case .information(let number, let more): number << 6 | (more ? 0x20 : 0)
        case .receiveReady(let number, let error): 0x80 | number << 4 | error.rawValue
        case .supervisory(let kind, let isResponse): 0xC0 | (isResponse ? 0x20 : 0) | kind.rawValue
        }
    }

    private static func control(_ byte: UInt8) -> Control? {
        switch byte >> 6 {
        case 0, 1: return byte & 0x1F == 0 ? .information(number: byte >> 6 & 1, more: byte & 0x20 != 0) : nil
        case 2:
            guard byte & 0x20 == 0, let error = ReceiveError(rawValue: byte & 0x0F) else { return nil }
            return .receiveReady(number: byte >> 4 & 1, error)
        default:
            guard byte & 0x1C == 0, let kind = Supervision(rawValue: byte & 0x03) else { return nil }
            return .supervisory(kind, isResponse: byte & 0x20 != 0)
        }
    }

    static func check(_ bytes: some Collection<UInt8>, _ checksum: CardParameters.Checksum) -> [UInt8] {
        switch checksum {
        case .lrc: return [bytes.reduce(0, ^)]
        case .crc:
            var register: UInt16 = 0xFFFF
            for byte in bytes {
                register ^= UInt16(byte)
                for _ in 0..<8 { register = register & 1 == 0 ? register >> 1 : register >> 1 ^ 0x8408 }
            }
            register = ~register
            return [UInt8(register & 0xFF), UInt8(truncatingIfNeeded: register >> 8)]
        }
    }
}
