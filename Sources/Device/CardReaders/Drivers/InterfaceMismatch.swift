package import CardCapture
internal import SmartCard

/// A card at the wrong interface: contacts and field have different rules and kernels.
package enum InterfaceMismatch: Error, Hashable, Sendable {
    /// The card is in the field, but must be in the contacts.
    case inField
    /// The card is in the contacts, but must be in the field.
    case inContacts
    /// The card is in the field and does not support ISO/IEC 14443-4.
    case storageCard

    /// - Parameters:
    ///   - answerToReset: As the reader returns it.
    ///   - interface: Nil accepts a card at either.
    package static func check(_ answerToReset: [UInt8], at interface: ReaderEvent.CardInterface?)
        throws(InterfaceMismatch)
    {
        switch (interface, ContactlessAnswerToReset(answerToReset)?.card) {
        case (nil, _), (.contact, nil), (.contactless, .transmissionProtocol): return
        case (.contact, _?): throw .inField
        case (.contactless, nil): throw .inContacts
        case (.contactless, .storage): throw .storageCard
        }
    }
}

extension InterfaceMismatch: DriverError {
    package var description: String {
        switch self {
        case .inField: "the card is in the field of the reader, not in its contacts: insert it, or sell with --tap"
        case .inContacts:
            "the card is in the contacts of the reader, not in its field: hold it to the reader, or sell without --tap"
        case .storageCard: "the card has no protocol for payments (ISO/IEC 14443-4): present a payment card"
        }
    }
}

extension ReaderEvent.CardInterface {
    /// The capability of a slot with this interface.
    var capability: ReaderCapabilities {
        switch self {
        case .contact: .contactChip
        case .contactless: .contactlessChip
        }
    }
}
