import SmartCard
import TLV

/// Data storage of a Mastercard card (EMV Contactless Book C-2).
extension VirtualCard {
    /// GET PROCESSING OPTIONS, with what the card has for the terminal's operator.
    func getProcessingOptions(_ command: CommandAPDU, _ contactless: MastercardContactlessProfile) throws(Refusal)
        -> [UInt8]
    {
        try beginRecordTransaction(command)
        guard contactless.mode == .emv, let slots = state.slots, let identifier = storageOperator else {
            return recordOptions([])
        }
        let report = slots.report(for: identifier, unpredictableNumber: random(4))
        session.transaction?.storageSummaries = slots.summary(for: identifier)
        return recordOptions(report)
    }

    /// Tag `9F5C` from the terminal; nil for one without data storage, which sends zeros.
    private var storageOperator: [UInt8]? {
        session.transaction?.terminal[.requestedOperator].flatMap { $0.contains { $0 != 0 } ? $0 : nil }
    }

    /// Writes the data behind those of CDOL1, before the cryptogram is computed.
    ///
    /// - Returns: The command without them; an AAC is computed where the data could not be stored
    ///   and the terminal wants that.
    func storeIntegratedData(_ command: CommandAPDU) throws(Refusal) -> CommandAPDU {
        guard let identifier = storageOperator, var slots = state.slots,
            let before = session.transaction?.storageSummaries
        else {
            return command
        }
        let own = command.data.prefix(profile.cdol1.dataLength)
        let bytes = Array(command.data.dropFirst(own.count))
        var control = command.p1
        if !bytes.isEmpty {
            guard let values = DOL.storage.splitUnpadded(bytes) else { throw Refusal(.wrongLength) }
            let isStored = slots.write(values, bytes, by: identifier)
            if !isStored, values[0xDF62]?.first.map({ $0 & 0x08 != 0 }) ?? false { control &= 0x3F }
        }
        session.transaction?.storageSummaries = before + slots.summary(for: identifier)
        state.slots = slots
        return CommandAPDU(
            cla: command.cla, ins: command.ins, p1: control, p2: command.p2, data: Array(own),
            expectedLength: command.expectedLength)
    }

    // MARK: Data envelopes

    /// GET DATA of the offline balance `9F50`, format n 12, or of a data envelope.
    func getStoredData(_ command: CommandAPDU) throws(Refusal) -> [UInt8] {
        guard session.transaction != nil else { throw Refusal(.conditionsNotSatisfied) }
        guard command.p1 == 0x9F else { throw Refusal(.incorrectP1P2) }
        switch command.p2 {
        case 0x50: return tlv(0x9F50, try balance())
        case 0x70...0x79:
            guard let value = state.envelopes[command.p2 - 0x6F] else { throw Refusal(.referencedDataNotFound) }
            return tlv(Tag(rawValue: 0x9F00 | UInt32(command.p2)), value)
        default: throw Refusal(.incorrectP1P2)
        }
    }

    /// PUT DATA of an unprotected data envelope. Protected ones require secure messaging, which
    /// this card does not have for them.
    func putEnvelope(_ command: CommandAPDU, _ contactless: MastercardContactlessProfile) throws(Refusal) -> [UInt8] {
        guard session.transaction != nil, let storage = contactless.dataStorage else {
            throw Refusal(.conditionsNotSatisfied)
        }
        guard command.p1 == 0x9F, (0x70...0x79).contains(command.p2) else { throw Refusal(.referencedDataNotFound) }
        guard command.p2 >= 0x75 else { throw Refusal(.securityStatusNotSatisfied) }
        let number = command.p2 - 0x6F
        guard command.data.count <= storage.envelopeSize(number) else { throw Refusal(.wrongLength) }
        state.envelopes[number] = command.data
        return []
    }
}

extension DOL {
    /// As ``split(_:)``, but the last value may be shorter (EMV Contactless Book C-2, 4.1.4).
    fileprivate func splitUnpadded(_ bytes: [UInt8]) -> DataElements? {
        guard let last = entries.last else { return nil }
        let rest = bytes.count - (dataLength - last.length)
        guard (0...last.length).contains(rest) else { return nil }
        return DOL(entries: entries.dropLast() + [Entry(last.tag, rest)]).split(bytes)
    }
}
