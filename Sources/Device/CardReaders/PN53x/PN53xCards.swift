/// The result of InListPassiveTarget (PN532 user manual UM0701-02, 7.3.5).
package enum PN53xCards: Equatable, Sendable {
    case none
    case one(Card)
    case several

    package enum Card: Equatable, Sendable {
        /// UID, SAK, and the answer to select if the chip has requested it.
        case typeA(identifier: [UInt8], select: UInt8, answerToSelect: [UInt8]?)
        /// The answer to request, beginning with `50`, and the answer to the chip's ATTRIB.
        case typeB(answerToRequest: [UInt8], attribution: [UInt8])
    }

    /// - Parameter answer: The data after the code of the answer.
    /// - Returns: Nil if the bytes are not a valid answer.
    package init?(parsing answer: [UInt8], _ type: PN53xCommand.CardType) {
        switch answer.first {
        case 0: self = .none
        case 2: self = .several
        case 1:
            // The target number comes first.
            var rest = answer.dropFirst(2)
            guard let card = type == .typeA ? Self.typeA(&rest) : Self.typeB(&rest) else { return nil }
            self = .one(card)
        default: return nil
        }
    }

    private static func typeA(_ rest: inout ArraySlice<UInt8>) -> Card? {
        guard rest.count >= 4 else { return nil }
        let select = rest[rest.startIndex + 2]
        rest = rest.dropFirst(3)
        guard let identifier = take(&rest) else { return nil }
        guard let length = rest.first else {
            return .typeA(identifier: identifier, select: select, answerToSelect: nil)
        }
        // TL includes itself.
        guard rest.count == Int(length) else { return nil }
        return .typeA(identifier: identifier, select: select, answerToSelect: Array(rest))
    }

    private static func typeB(_ rest: inout ArraySlice<UInt8>) -> Card? {
        let answer = Array(rest.prefix(12))
        rest = rest.dropFirst(12)
        guard answer.count == 12, let attribution = take(&rest), rest.isEmpty else { return nil }
        return .typeB(answerToRequest: answer, attribution: attribution)
    }

    /// A length byte and that many bytes.
    private static func take(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
        guard let length = rest.popFirst(), rest.count >= Int(length) else { return nil }
        defer { rest = rest.dropFirst(Int(length)) }
        return Array(rest.prefix(Int(length)))
    }
}
