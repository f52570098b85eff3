/// The answer to select of a contactless card of type A, sent after RATS (ISO/IEC 14443-4:2008,
/// 5.2): its maximum frame size, its times and its historical bytes.
package struct AnswerToSelect: Sendable, Equatable {
    /// Why bytes are not an answer to select.
    package enum Malformation: Error, Hashable, Sendable {
        case empty
        /// TL does not match the number of bytes.
        case length(named: Int, received: Int)
        /// It ends before the interface bytes that T0 announces.
        case truncated
    }

    /// TA(1): the bit rates beyond 106 kbit/s. Nil if it is absent; payment cards are used only at
    /// 106 kbit/s.
    package let bitRates: UInt8?
    package let parameters: ISODEPParameters
    /// From TC(1): whether the card supports node addresses and card identifiers. The reader uses
    /// neither.
    package let takesNodeAddress, takesCardIdentifier: Bool
    /// At most 250.
    package let historicalBytes: [UInt8]

    /// RATS with card identifier 0 (5.1; required by EMV).
    ///
    /// - Parameter integer: FSDI, 0 to 8: the maximum frame size from the card. EMV requires 8,
    ///   which means 256 bytes.
    package static func request(frameSizeInteger integer: UInt8) -> [UInt8] { [0xE0, integer << 4] }

    /// - Parameter bytes: TL first, without the CRC.
    package init(parsing bytes: [UInt8]) throws(Malformation) {
        guard let length = bytes.first else { throw .empty }
        guard Int(length) == bytes.count else { throw .length(named: Int(length), received: bytes.count) }
        var rest = bytes.dropFirst()
        let format = rest.popFirst()
        func next(_ bit: UInt8) throws(Malformation) -> UInt8? {
            guard let format, format & bit != 0 else { return nil }
            guard let byte = rest.popFirst() else { throw .truncated }
            return byte
        }
        bitRates = try next(0x10)
        let times = try next(0x20)
        let addresses = try next(0x40) ?? 0x02
        parameters = ISODEPParameters(
            frameSizeInteger: format.map { $0 & 0x0F } ?? 2, frameWaitingInteger: times.map { $0 >> 4 } ?? 4,
            guardInteger: times.map { $0 & 0x0F } ?? 0)
        takesNodeAddress = addresses & 0x01 != 0
        takesCardIdentifier = addresses & 0x02 != 0
        historicalBytes = Array(rest)
    }
}

extension AnswerToSelect.Malformation: CustomStringConvertible {
    package var description: String {
        switch self {
        case .empty: "the answer to select is empty"
        case .length(let named, let received): "the answer to select names \(named) bytes and has \(received)"
        case .truncated: "the answer to select ends too early"
        }
    }
}
