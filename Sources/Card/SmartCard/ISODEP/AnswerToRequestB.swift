/// The answer of a contactless card of type B to REQB or WUPB (ISO/IEC 14443-3:2011, 7.9).
package struct AnswerToRequestB: Sendable, Equatable {
    /// Why bytes are not an answer to a request.
    package enum Malformation: Error, Hashable, Sendable {
        /// It must have 12 or 13 bytes.
        case length(Int)
        /// It does not begin with `50`.
        case firstByte(UInt8)
        /// The card does not support ISO/IEC 14443-4.
        case protocolNotSupported
    }

    /// PUPI, 4 bytes.
    package let identifier: [UInt8]
    /// 4 bytes.
    package let applicationData: [UInt8]
    /// 3 bytes.
    package let protocolInformation: [UInt8]
    package let parameters: ISODEPParameters

    /// WUPB for one slot and any application (7.7).
    package static let request: [UInt8] = [0x05, 0x00, 0x08]

    /// - Parameter bytes: Beginning with `50`, without the CRC.
    package init(parsing bytes: [UInt8]) throws(Malformation) {
        guard (12...13).contains(bytes.count) else { throw .length(bytes.count) }
        guard bytes[0] == 0x50 else { throw .firstByte(bytes[0]) }
        // Bit 1 means ISO/IEC 14443-4; bit 4 is reserved, and cards that set it are not used
        // (7.9.4.4).
        guard bytes[10] & 0x09 == 0x01 else { throw .protocolNotSupported }
        identifier = Array(bytes[1...4])
        applicationData = Array(bytes[5...8])
        protocolInformation = Array(bytes[9...11])
        parameters = ISODEPParameters(
            frameSizeInteger: bytes[10] >> 4, frameWaitingInteger: bytes[11] >> 4, guardInteger: 0)
    }

    /// ATTRIB with 106 kbit/s, the card's protocol type, card identifier 0 and no higher layer data
    /// (7.10; EMV sends none).
    ///
    /// - Parameter integer: FSDI, as in RATS.
    package func selection(frameSizeInteger integer: UInt8) -> [UInt8] {
        [0x1D] + identifier + [0x00, integer & 0x0F, protocolInformation[1] & 0x0F, 0x00]
    }

    /// MBLI of the answer to ATTRIB, 0 to 15 (7.11).
    ///
    /// - Returns: Nil if there is no answer, or it has a card identifier, which was not assigned.
    package static func maximumBufferLengthIndex(_ answer: [UInt8]) -> UInt8? {
        guard let first = answer.first, first & 0x0F == 0 else { return nil }
        return first >> 4
    }
}

extension AnswerToRequestB.Malformation: CustomStringConvertible {
    package var description: String {
        switch self {
        case .length(let count): "the card's answer to the request has \(count) bytes, not 12 or 13"
        case .firstByte: "the card's answer to the request does not begin with 50"
        case .protocolNotSupported: "the card has no protocol for payments (ISO/IEC 14443-4)"
        }
    }
}
