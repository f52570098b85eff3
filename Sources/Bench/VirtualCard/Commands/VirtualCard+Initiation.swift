import SmartCard
import TLV

/// GET PROCESSING OPTIONS and GET DATA (EMV 4.4 Book 3, 6.5.7 and 6.5.8).
extension VirtualCard {
    /// Begins a transaction and increments the counter. Allowed once after each SELECT.
    func getProcessingOptions(_ command: CommandAPDU) throws(Refusal) -> [UInt8] {
        try command.requireParameters(0, 0)
        guard case .application = session.selection, !isBlocked || profile.beginsTransactionsWhenBlocked,
            session.transaction == nil
        else {
            throw Refusal(.conditionsNotSatisfied)
        }
        guard let data = command.data.commandTemplate else { throw Refusal(.wrongData) }
        guard let values = (profile.pdol ?? DOL(entries: [])).split(data) else { throw Refusal(.wrongLength) }
        // The application ends its life with its last counter value (EMV 4.4 Book 2, annex D3).
        guard applicationTransactionCounter < .max else { throw Refusal(.conditionsNotSatisfied) }
        applicationTransactionCounter += 1
        var transaction = CardTransaction(counter: applicationTransactionCounter, received: [])
        transaction.take(values, data)
        session.transaction = transaction

        switch profile.responseFormat {
        case .format1: return tlv(.responseTemplate1, profile.interchangeProfile.bytes + card.files.locator.bytes)
        case .format2:
            return tlv(.responseTemplate2) { template in
                template.append(.applicationInterchangeProfile, profile.interchangeProfile.bytes)
                template.append(.applicationFileLocator, card.files.locator.bytes)
            }
        }
    }

    /// One primitive data object, with its tag.
    func getData(_ command: CommandAPDU) throws(Refusal) -> [UInt8] {
        guard case .application = session.selection else { throw Refusal(.conditionsNotSatisfied) }
        let tag = Tag(rawValue: UInt32(command.p1) << 8 | UInt32(command.p2))
        let value: [UInt8]? =
            switch tag {
            case .applicationTransactionCounter: applicationTransactionCounter.bigEndianBytes
            case .lastOnlineATCRegister: lastOnlineCounter.bigEndianBytes
            case .pinTryCounter: profile.pin.map { _ in [pinTriesLeft] }
            case .logFormat: profile.logFormat?.bytes
            default: state.dataElements[tag]
            }
        guard let value else { throw Refusal(.referencedDataNotFound) }
        return tlv(tag, value)
    }
}
