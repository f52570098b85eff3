import Bytes
import CardCryptography
import SmartCard
import TLV

/// The commands of a Mastercard card in a reader's field (EMV Contactless Book C-2).
extension VirtualCard {
    /// Begins a transaction and increments the counter. The answer has AIP, AFL and `more`.
    func getRecordProcessingOptions(_ command: CommandAPDU, more: [(tag: Tag, value: [UInt8])] = []) throws(Refusal)
        -> [UInt8]
    {
        try beginRecordTransaction(command)
        return recordOptions(more)
    }

    func beginRecordTransaction(_ command: CommandAPDU) throws(Refusal) {
        try command.requireParameters(0, 0)
        guard case .application = session.selection, !isBlocked, session.transaction == nil,
            card.contactlessFiles != nil
        else {
            throw Refusal(.conditionsNotSatisfied)
        }
        guard let data = command.data.commandTemplate else { throw Refusal(.wrongData) }
        guard let values = (profile.pdol ?? DOL(entries: [])).split(data) else { throw Refusal(.wrongLength) }
        guard applicationTransactionCounter < .max else { throw Refusal(.conditionsNotSatisfied) }
        applicationTransactionCounter += 1
        var transaction = CardTransaction(counter: applicationTransactionCounter, received: [])
        transaction.take(values, data)
        session.transaction = transaction
    }

    func recordOptions(_ more: [(tag: Tag, value: [UInt8])]) -> [UInt8] {
        tlv(.responseTemplate2) { template in
            template.append(.applicationInterchangeProfile, profile.interchangeProfile.bytes)
            template.append(.applicationFileLocator, card.contactlessFiles?.locator.bytes ?? [])
            for (tag, value) in more { template.append(tag, value) }
        }
    }

    /// One GENERATE AC; a locked phone declines and asks its owner to unlock it.
    func generateMastercardAC(_ command: CommandAPDU, _ contactless: MastercardContactlessProfile) throws(Refusal)
        -> [UInt8]
    {
        guard contactless.mode == .emv, session.transaction?.phase == .begun else {
            throw Refusal(.conditionsNotSatisfied)
        }
        if contactless.device == .locked, !state.isDeviceUnlocked {
            state.isDeviceUnlocked = true
            let declining = CommandAPDU(
                cla: command.cla, ins: command.ins, p1: CryptogramType.aac.rawValue, p2: 0,
                // Nothing is stored.
                data: state.slots == nil ? command.data : Array(command.data.prefix(profile.cdol1.dataLength)),
                expectedLength: 256)
            return try withInteraction(generateAC(declining), Self.ownerRequired)
        }
        let slots = state.slots
        let answer: [UInt8]
        do throws(Refusal) {
            answer = try generateAC(storeIntegratedData(command))
        } catch {
            // What is stored belongs to a cryptogram.
            state.slots = slots
            throw error
        }
        if session.transaction?.firstCryptogram == .tc, let balance = state.offlineBalance {
            state.offlineBalance = balance - min(balance, session.transaction?.terminal.number(.amountAuthorised) ?? 0)
        }
        state.lastCryptogram = (session.transaction?.terminal[.unpredictableNumber] ?? [], answer)
        return answer
    }

    /// RECOVER AC: the answer that the reader did not receive.
    func recoverAC(_ command: CommandAPDU, _ contactless: MastercardContactlessProfile) throws(Refusal) -> [UInt8] {
        try command.requireParameters(0, 0)
        guard contactless.recoversTornTransactions, session.transaction?.phase == .begun,
            let last = state.lastCryptogram,
            command.data == last.unpredictableNumber
        else { throw Refusal(.conditionsNotSatisfied) }
        session.transaction?.phase = .complete
        return last.answer
    }

    /// The offline balance, tag `9F50`, format n 12.
    func balance() throws(Refusal) -> [UInt8] {
        guard let balance = state.offlineBalance, let value = BCD.encode(balance, count: 6) else {
            throw Refusal(.referencedDataNotFound)
        }
        return value
    }

    /// The answer of format 2 with POS cardholder interaction information, tag `DF4B`.
    private func withInteraction(_ answer: [UInt8], _ information: [UInt8]) -> [UInt8] {
        guard let contents = try? DataElements(parsing: answer) else { return answer }
        return tlv(.responseTemplate2) { template in
            for tag in contents.tags where !tag.isConstructed { template.append(tag, contents[tag] ?? []) }
            template.append(.cardholderInteraction, information)
        }
    }

    /// "Offline PIN required", bit 1 of byte 2.
    private static let ownerRequired: [UInt8] = [0x00, 0x01, 0x00]
    /// "On-device verification successful", bit 5 of byte 2.
    private static let ownerVerified: [UInt8] = [0x00, 0x10, 0x00]

    /// COMPUTE CRYPTOGRAPHIC CHECKSUM: CVC3 for both tracks.
    func computeChecksum(_ command: CommandAPDU, _ contactless: MastercardContactlessProfile) throws(Refusal) -> [UInt8]
    {
        try command.requireParameters(0x8E, 0x80)
        guard contactless.mode == .magstripe, var transaction = session.transaction, transaction.phase == .begun,
            let key = card.checksumKey, let objects = profile.magstripeObjects(contactless.positions)
        else { throw Refusal(.conditionsNotSatisfied) }
        // Without a UDOL, a terminal sends only the unpredictable number.
        guard command.data.count == 4 else { throw Refusal(.wrongLength) }
        transaction.phase = .complete
        session.transaction = transaction
        var answer = TLVBuilder()
        if contactless.device == .locked, !state.isDeviceUnlocked {
            state.isDeviceUnlocked = true
            answer.append(.applicationTransactionCounter, transaction.counter.bigEndianBytes)
            answer.append(.cardholderInteraction, Self.ownerRequired)
            return tlv(.responseTemplate2, answer.bytes)
        }
        do throws(CryptogramError) {
            for (tag, track) in [(Tag(rawValue: 0x9F61), Tag.track2DataContactless), (0x9F60, .track1Data)] {
                let code = try CardVerificationCode3.compute(
                    initialisationVector: CardVerificationCode3.initialisationVector(
                        track: objects[track] ?? [], key: key),
                    unpredictableNumber: command.data, counter: transaction.counter, key: key)
                answer.append(tag, code.bigEndianBytes)
            }
        } catch {
            throw Refusal(.conditionsNotSatisfied)
        }
        answer.append(.applicationTransactionCounter, transaction.counter.bigEndianBytes)
        if contactless.device != nil { answer.append(.cardholderInteraction, Self.ownerVerified) }
        return tlv(.responseTemplate2, answer.bytes)
    }
}
