import CardCryptography
import SmartCard
import TLV

/// The commands of a card of kernel 8 in a reader's field (EMV Contactless Books C-8 and E).
extension VirtualCard {
    // MARK: The channel

    /// Begins a transaction: increments the counter, and derives the keys of the channel.
    func getKernel8ProcessingOptions(
        _ command: CommandAPDU, _ contactless: Kernel8ContactlessProfile
    ) throws(Refusal) -> [UInt8] {
        try command.requireParameters(0, 0)
        guard case .application = session.selection, !isBlocked, session.transaction == nil,
            let files = card.contactlessFiles,
            let keys = card.kernel8Keys
        else { throw Refusal(.conditionsNotSatisfied) }
        guard let data = command.data.commandTemplate else { throw Refusal(.wrongData) }
        guard let values = contactless.pdol.split(data) else { throw Refusal(.wrongLength) }
        guard let qualifier = values[.kernelQualifier], qualifier[0] != 0, qualifier[2] == contactless.suite.rawValue,
            applicationTransactionCounter < .max,
            let (cardKeyData, channel) = CardKeyAgreement.answer(
                key: keys.key, kernelKeyData: values[.kernelKeyData] ?? [], random: random)
        else { throw Refusal(.conditionsNotSatisfied) }
        applicationTransactionCounter += 1
        var transaction = CardTransaction(counter: applicationTransactionCounter, received: [])
        transaction.take(values, data)
        session.transaction = transaction
        session.channel = channel
        return tlv(.responseTemplate2) { template in
            template.append(.applicationInterchangeProfile, profile.interchangeProfile.bytes)
            template.append(.applicationFileLocator, files.locator.bytes)
            template.append(.cardKeyData, cardKeyData)
        }
    }

    /// A record as template `DA`.
    func encipher(_ record: [UInt8]) throws(Refusal) -> [UInt8] {
        var walker = TLVWalker()
        guard let node = try? walker.next(in: record.span),
            let enciphered = session.channel?.combineCardMessage(Array(record[node.value]))
        else { throw Refusal(.conditionsNotSatisfied) }
        return tlv(.encipheredRecord, enciphered)
    }

    // MARK: Data envelopes

    func readData(_ command: CommandAPDU) throws(Refusal) -> [UInt8] {
        try command.requireParameters(0, 0)
        guard session.transaction?.phase == .begun else { throw Refusal(.conditionsNotSatisfied) }
        guard let number = Self.envelopeNumber(command.data), let value = state.envelopes[number] else {
            throw Refusal(.referencedDataNotFound)
        }
        guard let sealed = session.channel?.sealReadData(command.data.envelopeTag.map { tlv($0, value) } ?? []) else {
            throw Refusal(.conditionsNotSatisfied)
        }
        return sealed
    }

    /// Allowed before GENERATE AC if the profile says so, and after one with P2 `80`, until P2 of
    /// this command marks it as the last.
    func writeData(_ command: CommandAPDU, _ contactless: Kernel8ContactlessProfile) throws(Refusal) -> [UInt8] {
        guard command.p1 == 0, command.p2 & 0x7F == 0 else { throw Refusal(.incorrectP1P2) }
        let isBefore = session.transaction?.phase == .begun && contactless.writesBeforeCryptogram
        guard isBefore || session.expectsWriting, let object = session.channel?.combineWriteData(command.data) else {
            throw Refusal(.conditionsNotSatisfied)
        }
        var walker = TLVWalker()
        guard let node = try? walker.next(in: object.span), node.value.upperBound == object.count,
            let number = Self.envelopeNumber(node.tag.bytes), node.value.count <= 243
        else { throw Refusal(.wrongData) }
        state.envelopes[number] = Array(object[node.value])
        if !isBefore { session.expectsWriting = command.p2 == 0x80 }
        guard let code = session.channel?.writeDataCode(object) else { throw Refusal(.conditionsNotSatisfied) }
        return code
    }

    /// 1 to 10; nil for other data objects.
    private static func envelopeNumber(_ tag: [UInt8]) -> UInt8? {
        guard let tag = tag.envelopeTag else { return nil }
        return UInt8(truncatingIfNeeded: tag.rawValue - Tag.dataEnvelopes.lowerBound + 1)
    }

    // MARK: GENERATE AC

    func generateKernel8AC(_ command: CommandAPDU, _ contactless: Kernel8ContactlessProfile) throws(Refusal) -> [UInt8]
    {
        guard let requested = CryptogramType(rawValue: command.p1 & 0xC0), command.p1 & 0x3F == 0,
            command.p2 & 0x7F == 0
        else {
            throw Refusal(.incorrectP1P2)
        }
        guard var transaction = session.transaction, transaction.phase == .begun, let channel = session.channel,
            let keys = card.kernel8Keys
        else { throw Refusal(.conditionsNotSatisfied) }
        guard let values = profile.cdol1.split(command.data) else { throw Refusal(.wrongLength) }
        transaction.take(values, command.data)
        let decision = decide(requested, contactless, transaction)
        transaction.firstCryptogram = decision.type
        transaction.phase = decision.type == .arqc ? .wantsIssuer : .complete
        let sent = transaction.terminal[.terminalVerificationResults] ?? []
        // The issuer receives the TVR with the card's bits, so the cryptogram covers that TVR.
        let results = TerminalVerificationResults(sent).map { $0.union(decision.results).bytes } ?? sent
        transaction.terminal[.terminalVerificationResults] = results
        let issuerData = profile.cryptograms.issuerApplicationData(
            CardVerificationResults(first: decision.type, second: nil, issuerCommands: state.scripts.count))
        let objects = answerObjects(
            decision, contactless, issuerData: issuerData, results: results == sent ? nil : results,
            counter: transaction.counter)
        let code = channel.issuerApplicationDataMAC(
            transaction.received + (transaction.relayExchanges.last ?? []) + objects + keys.staticDataHash)
        var completeData = issuerData
        let offset = contactless.effectiveMACOffset
        completeData.replaceSubrange(offset..<offset + code.count, with: code)
        let cryptogram = try kernel8Cryptogram(transaction, issuerApplicationData: completeData)
        if decision.type == .arqc { transaction.arqc = cryptogram }
        session.transaction = transaction
        session.expectsWriting = command.p2 == 0x80
        return tlv(
            .responseTemplate2,
            objects + tlv(.applicationCryptogram, cryptogram)
                + tlv(
                    .enhancedDataAuthenticationMAC,
                    channel.enhancedDataAuthenticationMAC(cryptogram: cryptogram, issuerApplicationDataMAC: code)))
    }

    /// The answer without cryptogram and EDA-MAC, which cover it.
    private func answerObjects(
        _ decision: Kernel8Decision, _ contactless: Kernel8ContactlessProfile, issuerData: [UInt8], results: [UInt8]?,
        counter: UInt16
    ) -> [UInt8] {
        var builder = TLVBuilder()
        builder.append(.cryptogramInformationData, [decision.type.rawValue])
        builder.append(.applicationTransactionCounter, counter.bigEndianBytes)
        builder.append(.issuerApplicationData, issuerData)
        builder.append(.cardholderVerificationDecision, [decision.verification.rawValue])
        if let results { builder.append(.cardTVR, results) }
        if let offset = contactless.macOffset { builder.append(.issuerApplicationDataMACOffset, [offset]) }
        if let restart = decision.restart { builder.append(.restartIndicator, restart) }
        return builder.bytes
    }

    private func kernel8Cryptogram(_ transaction: CardTransaction, issuerApplicationData: [UInt8]) throws(Refusal)
        -> [UInt8]
    {
        let scheme = profile.cryptograms
        do throws(CryptogramError) {
            let input = try scheme.version.input(
                terminalData: DOL.cryptogramInput.concatenate(transaction.terminal),
                applicationInterchangeProfile: profile.interchangeProfile.bytes, atc: transaction.counter,
                issuerApplicationData: issuerApplicationData)
            return ApplicationCryptogram.compute(
                input, sessionKey: try sessionKey(transaction), padding: scheme.version.padding)
        } catch {
            throw Refusal(.conditionsNotSatisfied)
        }
    }

    // MARK: Decisions

    private func decide(
        _ requested: CryptogramType, _ contactless: Kernel8ContactlessProfile, _ transaction: CardTransaction
    ) -> Kernel8Decision {
        if contactless.device == .locked, !state.isDeviceUnlocked {
            state.isDeviceUnlocked = true
            return Kernel8Decision(type: .aac, verification: .notApplicable, restart: Self.presentAgain)
        }
        let amount = transaction.terminal.number(.amountAuthorised) ?? .max
        let verification = contactless.verification(transaction.terminal[.terminalRiskManagementData] ?? [])
        // With an online PIN, or without a possible verification, the card does not approve
        // offline.
        let isOffline = contactless.approvesOfflineUpTo.map { amount <= $0 } ?? false
        let asked =
            isOffline && verification != .failed && verification != .onlinePIN ? requested : min(requested, .arqc)
        let type = isBlocked ? .aac : profile.riskRule.firstCryptogram(asked, amount: amount)
        return Kernel8Decision(
            type: type, verification: verification, restart: type == .aac ? contactless.restart : nil)
    }

    /// "Restart B" and the message "see phone".
    private static let presentAgain: [UInt8] = [0x20, 0x20]
}

/// The card's decision, and the verification of the holder.
private struct Kernel8Decision {
    let type: CryptogramType
    let verification: CardholderVerificationDecision
    /// Tag `9F8108`.
    let restart: [UInt8]?

    /// The bits that the card adds to the TVR.
    var results: TerminalVerificationResults {
        switch verification {
        case .onlinePIN: .onlineCVMCaptured
        case .failed: .cardholderVerificationFailed
        case .noCVM, .signature, .consumerDevice, .notApplicable: []
        }
    }
}

/// Tag `9F8102`.
private enum CardholderVerificationDecision: UInt8 {
    case noCVM = 0x00
    case signature = 0x01
    case onlinePIN = 0x02
    case consumerDevice = 0x03
    case notApplicable = 0x0F
    case failed = 0xFF
}

extension Kernel8ContactlessProfile {
    /// - Parameter management: Tag `9F1D`: the terminal's methods, and whether the CVM limit is
    ///   exceeded (byte 2 bit 8).
    fileprivate func verification(_ management: [UInt8]) -> CardholderVerificationDecision {
        guard management.count >= 2 else { return .failed }
        let isRequired = management[1] & 0x80 != 0
        func can(_ bit: UInt8) -> Bool { management[0] & bit != 0 }
        // A device has verified its owner for any amount.
        if device != nil, can(0x04) { return .consumerDevice }
        guard isRequired else { return can(0x08) ? .noCVM : .notApplicable }
        for verification in verifications {
            switch verification {
            case .onlinePIN where can(0x40): return .onlinePIN
            case .signature where can(0x20): return .signature
            default: continue
            }
        }
        return .failed
    }
}

extension [UInt8] {
    /// These bytes as the tag of a data envelope; nil otherwise.
    fileprivate var envelopeTag: Tag? {
        guard count == 3 else { return nil }
        let tag = Tag(rawValue: reduce(0) { $0 << 8 | UInt32($1) })
        return tag.isDataEnvelope ? tag : nil
    }
}
