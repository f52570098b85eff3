/// What a card sends after a reset (ISO/IEC 7816-3, 8): its convention, its protocols and
/// parameters, and up to fifteen historical bytes.
///
/// Decoded bytes, the initial character first: `3B` is direct convention, `3F` inverse.
public struct AnswerToReset: Sendable, Equatable {
    /// The maximum length in bytes, initial character and check byte included.
    public static let maximumLength = 33

    /// The initial character TS.
    public enum Convention: UInt8, Sendable {
        case direct = 0x3B
        case inverse = 0x3F
    }

    /// The interface bytes TAi, TBi, TCi and TDi of one i.
    public struct InterfaceBytes: Sendable, Equatable {
        public let ta, tb, tc, td: UInt8?

        /// The protocol T that TDi names: the one that the bytes of i + 1 are about.
        public var protocolNumber: UInt8? { td.map { $0 & 0x0F } }
    }

    public let convention: Convention
    /// The interface bytes that T0 announces first, then those of each TDi.
    public let interfaceBytes: [InterfaceBytes]
    /// At most 15.
    public let historicalBytes: [UInt8]

    /// The protocols that the card offers, its first choice first, without T=15. A card that names
    /// no protocol uses T=0.
    public var protocols: [UInt8] {
        var offered: [UInt8] = []
        for number in interfaceBytes.compactMap(\.protocolNumber) where number != 15 && !offered.contains(number) {
            offered.append(number)
        }
        return offered.isEmpty ? [0] : offered
    }

    /// The protocol of TA2 (specific mode); nil in negotiable mode.
    public var specificProtocol: UInt8? { interfaceBytes.count > 1 ? interfaceBytes[1].ta.map { $0 & 0x0F } : nil }

    /// - Throws: ``AnswerToResetError`` for bytes that are not an answer to reset.
    public init(parsing bytes: [UInt8]) throws(AnswerToResetError) {
        guard bytes.count <= Self.maximumLength else { throw .tooLong(bytes.count) }
        guard let first = bytes.first, bytes.count > 1 else { throw .truncated }
        guard let convention = Convention(rawValue: first) else { throw .initialCharacter(first) }
        var rest = bytes.dropFirst(2)
        var groups: [InterfaceBytes] = []
        var indicator: UInt8? = bytes[1]
        while let present = indicator {
            func next(_ bit: UInt8) throws(AnswerToResetError) -> UInt8? {
                guard present & bit != 0 else { return nil }
                guard let byte = rest.popFirst() else { throw .truncated }
                return byte
            }
            groups.append(
                InterfaceBytes(ta: try next(0x10), tb: try next(0x20), tc: try next(0x40), td: try next(0x80)))
            indicator = groups.last?.td
        }
        let count = Int(bytes[1] & 0x0F)
        guard rest.count >= count else { throw .truncated }
        historicalBytes = Array(rest.prefix(count))
        rest = rest.dropFirst(count)

        // The exclusive or of all bytes from T0 to the check byte is zero. The check byte is absent
        // if T=0 is the only protocol (8.2.5).
        let isChecked = groups.contains { ($0.protocolNumber ?? 0) != 0 }
        if isChecked {
            guard !rest.isEmpty else { throw .truncated }
            guard bytes.dropFirst().prefix(bytes.count - rest.count).reduce(0, ^) == 0 else { throw .checkByte }
            rest = rest.dropFirst()
        }
        guard rest.isEmpty else { throw .excessBytes(rest.count) }
        self.convention = convention
        interfaceBytes = groups
    }
}
