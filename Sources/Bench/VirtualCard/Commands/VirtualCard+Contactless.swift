import CardCryptography
import SmartCard
import TLV

/// The commands in a reader's field before the application runs (EMV Contactless Book B, 3.3), and
/// those of a card that
/// answers GET PROCESSING OPTIONS with its cryptogram (Book C-3).
extension VirtualCard {
    /// `2PAY.SYS.DDF01`
    private static let directoryName = Array("2PAY.SYS.DDF01".utf8)
    /// The file with the data that the card signed for this transaction.
    static let dynamicFile: UInt8 = 1

    func selectContactless(_ command: CommandAPDU, _ contactless: ContactlessProfile) throws(Refusal) -> [UInt8] {
        try command.requireParameters(0x04, 0x00)
        guard !state.isCardBlocked else { throw Refusal(.functionNotSupported) }
        if command.data == Self.directoryName {
            session = CardSession(selection: .paymentSystemEnvironment)
            return contactlessDirectory
        }
        guard let index = profile.applications.firstIndex(where: { command.data.starts(with: $0.aid) }) else {
            throw Refusal(.fileNotFound)
        }
        session = CardSession(selection: .application(index))
        // The issuer's answer may come with the next tap.
        if case .visa = contactless { session.transaction = state.pendingUpdate }
        guard !isBlocked else { throw Refusal(.selectedFileInvalidated) }
        return profile.applications[index].contactlessInformation(contactless, profile)
    }

    /// EMV Contactless Book B, table 3-2.
    private var contactlessDirectory: [UInt8] {
        tlv(.fciTemplate) { template in
            template.append(.dfName, Self.directoryName)
            template.append(.fciProprietaryTemplate) { proprietary in
                proprietary.append(.fciIssuerDiscretionaryData) { data in
                    for application in profile.applications {
                        data.append(.applicationTemplate) { entry in
                            entry.append(.adfName, application.aid)
                            application.appendNames(to: &entry)
                            if case .kernel8 = profile.contactless { entry.append(.kernelIdentifier, [0x08]) }
                        }
                    }
                }
            }
        }
    }

    /// Begins a transaction and, on the card's side, also ends it.
    func getContactlessProcessingOptions(
        _ command: CommandAPDU, _ contactless: VisaContactlessProfile
    ) throws(Refusal) -> [UInt8] {
        try command.requireParameters(0, 0)
        guard case .application = session.selection, !isBlocked else { throw Refusal(.conditionsNotSatisfied) }
        guard let template = command.data.commandTemplate else { throw Refusal(.wrongData) }
        guard let values = contactless.pdol.split(template),
            let reader = values[.terminalTransactionQualifiers].flatMap(TerminalTransactionQualifiers.init)
        else { throw Refusal(.wrongLength) }
        let isLocked = contactless.device == .locked && !state.isDeviceUnlocked
        if isLocked, contactless.transit?.accepts(reader, amount: values.number(.amountAuthorised)) != true {
            state.isDeviceUnlocked = true
            throw Refusal(Self.seePhone)
        }
        guard applicationTransactionCounter < .max else { throw Refusal(.conditionsNotSatisfied) }
        if contactless.mode == .magstripe { return try startMagstripe(reader) }
        // A gate is paid without the owner.
        guard let qualifiers = isLocked ? contactless.qualifiers : contactless.qualifiers(for: reader) else {
            throw Refusal(.referencedDataInvalidated)
        }
        applicationTransactionCounter += 1
        var transaction = CardTransaction(counter: applicationTransactionCounter, received: [])
        transaction.take(values, template)
        let type = contactless.cryptogram(reader, amount: values.number(.amountAuthorised) ?? .max, profile.riskRule)
        transaction.firstCryptogram = type
        transaction.phase = type == .arqc ? .wantsIssuer : .complete
        let cryptogram = try contactlessCryptogram(type, contactless, transaction)
        if type == .arqc { transaction.arqc = cryptogram.value }
        transaction.messaging = messaging(transaction, applicationCryptogram: cryptogram.value)
        state.scripts.tell()
        state.pendingUpdate = type == .arqc ? transaction : nil
        let isSigned =
            contactless.interchangeProfile.contains(.ddaSupported)
            && (type == .tc || type == .arqc && reader.contains(.dataAuthenticationForOnline))
        session.transaction = transaction
        session.signedData = isSigned ? [0x01] + random(4) + qualifiers.bytes : nil
        return try contactlessAnswer(
            cryptogram, type: type, qualifiers: qualifiers, contactless: contactless, transaction: transaction)
    }

    /// "Conditions of use not satisfied": the device's owner must do something.
    static let seePhone = StatusWord(rawValue: 0x6986)

    func readContactlessRecord(_ command: CommandAPDU) throws(Refusal) -> [UInt8] {
        guard command.p2 & 0x07 == 0x04, command.p1 > 0 else { throw Refusal(.incorrectP1P2) }
        guard case .application = session.selection else { throw Refusal(.conditionsNotSatisfied) }
        let sfi = command.p2 >> 3
        var records = card.contactlessFiles?.records[sfi]
        if sfi == Self.dynamicFile, profile.contactless?.isQualified == true {
            records = session.signedData.map { signed in
                [tlv(.recordTemplate) { $0.append(.cardAuthenticationRelatedData, signed) }]
            }
            if let record = session.magstripeRecord { records = [record] }
        }
        guard let records else { throw Refusal(.fileNotFound) }
        guard Int(command.p1) <= records.count else { throw Refusal(.recordNotFound) }
        let record = records[Int(command.p1) - 1]
        guard case .kernel8(let kernel8) = profile.contactless, kernel8.enciphersRecords,
            sfi != Kernel8ContactlessProfile.plainFile
        else { return record }
        return try encipher(record)
    }

    // MARK: Cryptogram and signature

    private func contactlessCryptogram(
        _ type: CryptogramType, _ contactless: VisaContactlessProfile, _ transaction: CardTransaction
    ) throws(Refusal) -> (value: [UInt8], issuerApplicationData: [UInt8]) {
        let scheme = profile.cryptograms
        let issuerData = scheme.issuerApplicationData(
            CardVerificationResults(first: type, second: nil, issuerCommands: state.scripts.count))
        do throws(CryptogramError) {
            let input = try scheme.version.input(
                terminalData: DOL.cryptogramInput.concatenate(transaction.terminal),
                applicationInterchangeProfile: contactless.interchangeProfile.bytes, atc: transaction.counter,
                issuerApplicationData: issuerData)
            let key = try sessionKey(transaction)
            return (ApplicationCryptogram.compute(input, sessionKey: key, padding: scheme.version.padding), issuerData)
        } catch {
            throw Refusal(.conditionsNotSatisfied)
        }
    }

    private func contactlessAnswer(
        _ cryptogram: (value: [UInt8], issuerApplicationData: [UInt8]), type: CryptogramType,
        qualifiers: CardTransactionQualifiers, contactless: VisaContactlessProfile, transaction: CardTransaction
    ) throws(Refusal) -> [UInt8] {
        let signature = try session.signedData.map { signed throws(Refusal) in try sign(signed, type, transaction) }
        let values = profile.dataObjects
        return tlv(.responseTemplate2) { answer in
            answer.append(.applicationInterchangeProfile, contactless.interchangeProfile.bytes)
            if signature != nil || type == .tc, let files = card.contactlessFiles {
                let dynamic = signature == nil ? [] : [ApplicationFileLocator.Entry(sfi: Self.dynamicFile, 1...1)]
                answer.append(.applicationFileLocator, ApplicationFileLocator(dynamic + files.locator.entries).bytes)
            }
            for tag in [Tag.track2EquivalentData, .panSequenceNumber] {
                if let value = values[tag] { answer.append(tag, value) }
            }
            answer.append(.issuerApplicationData, cryptogram.issuerApplicationData)
            answer.append(.applicationCryptogram, cryptogram.value)
            answer.append(.cryptogramInformationData, [type.rawValue])
            answer.append(.applicationTransactionCounter, transaction.counter.bigEndianBytes)
            answer.append(.cardTransactionQualifiers, qualifiers.bytes)
            if let indicator = contactless.formFactorIndicator { answer.append(.formFactorIndicator, indicator) }
            if let signature { answer.append(.signedDynamicApplicationData, signature) }
        }
    }

    private func sign(_ related: [UInt8], _ type: CryptogramType, _ transaction: CardTransaction) throws(Refusal)
        -> [UInt8]
    {
        guard case .rsa(let key, _) = card.keys else { throw Refusal(.conditionsNotSatisfied) }
        let terminal = transaction.terminal
        do throws(IssuingError) {
            return try FastDynamicDataAuthentication.sign(
                iccDynamicNumber: transaction.counter.bigEndianBytes, format: type == .tc ? .offline : .online,
                dynamicData: FastDynamicDataAuthentication.dynamicData(
                    unpredictableNumber: terminal[.unpredictableNumber] ?? [],
                    amount: terminal[.amountAuthorised] ?? [],
                    currency: terminal[.transactionCurrencyCode] ?? [], relatedData: related), by: key)
        } catch {
            throw Refusal(.conditionsNotSatisfied)
        }
    }
}

extension VisaContactlessProfile.Transit {
    fileprivate func accepts(_ reader: TerminalTransactionQualifiers, amount: UInt64?) -> Bool {
        switch self {
        case .authenticatingReader: reader.isSuperset(of: [.emvMode, .dataAuthenticationForOnline])
        case .zeroAmount: amount == 0
        }
    }
}

extension VisaContactlessProfile {
    /// CTQ for the reader's capabilities; nil if the reader requires cardholder verification and
    /// there is no common method.
    func qualifiers(for reader: TerminalTransactionQualifiers) -> CardTransactionQualifiers? {
        let isRequired = reader.contains(.cvmRequired)
        // A device has verified its owner for any amount.
        guard isRequired || device != nil else { return qualifiers }
        for verification in verifications {
            switch verification {
            case .consumerDevice where device != nil && reader.contains(.consumerDeviceCVM):
                return qualifiers.union(.consumerDeviceCVMPerformed)
            case .onlinePIN where isRequired && reader.contains(.onlinePIN): return qualifiers.union(.onlinePINRequired)
            case .signature where isRequired && reader.contains(.signature): return qualifiers.union(.signatureRequired)
            default: continue
            }
        }
        return isRequired ? nil : qualifiers
    }

    func cryptogram(_ reader: TerminalTransactionQualifiers, amount: UInt64, _ rule: CardRiskRule) -> CryptogramType {
        if let limit = rule.declinesAbove, amount > limit { return .aac }
        if reader.contains(.onlineCryptogramRequired) { return .arqc }
        return approvesOfflineUpTo.map { amount <= $0 } ?? false ? .tc : .arqc
    }
}

extension ContactlessProfile {
    /// Whether the card answers GET PROCESSING OPTIONS with its cryptogram.
    fileprivate var isQualified: Bool {
        switch self {
        case .visa, .unionPay: true
        case .mastercard, .americanExpress, .kernel8: false
        }
    }

    /// The data in the answer to the final SELECT beside the names: the list for GET PROCESSING
    /// OPTIONS, and the issuer's data.
    fileprivate func selection(_ profile: CardProfile) -> (
        pdol: [UInt8]?, issuerData: [(tag: TLV.Tag, value: [UInt8]?)]
    ) {
        switch self {
        case .visa(let visa): (visa.pdol.bytes, [(.applicationProgramIdentifier, visa.programIdentifier)])
        case .unionPay(let unionPay): (unionPay.pdol.bytes, [])
        case .mastercard(let mastercard):
            (
                mastercard.effectivePDOL?.bytes,
                [
                    (0x9F5D, mastercard.capabilities),
                    (0x9F5E, mastercard.dataStorage?.version.map { _ in profile.storageIdentifier }),
                    (.formFactorIndicator, mastercard.thirdPartyData),
                ]
            )
        case .americanExpress(let americanExpress): (americanExpress.pdol.bytes, [])
        case .kernel8(let kernel8): (kernel8.pdol.bytes, [(.cardQualifier, kernel8.qualifier)])
        }
    }
}

extension CardApplication {
    /// The answer to the final SELECT.
    fileprivate func contactlessInformation(_ contactless: ContactlessProfile, _ profile: CardProfile) -> [UInt8] {
        let (pdol, issuerData) = contactless.selection(profile)
        return tlv(.fciTemplate) { template in
            template.append(.dfName, aid)
            template.append(.fciProprietaryTemplate) { proprietary in
                appendNames(to: &proprietary)
                if let pdol { proprietary.append(.pdol, pdol) }
                profile.appendLanguages(to: &proprietary)
                guard issuerData.contains(where: { $0.value != nil }) else { return }
                proprietary.append(.fciIssuerDiscretionaryData) { data in
                    for object in issuerData { if let value = object.value { data.append(object.tag, value) } }
                }
            }
        }
    }
}

extension [UInt8] {
    /// The value if these bytes are a single template `83`; nil otherwise.
    var commandTemplate: [UInt8]? {
        var walker = TLVWalker()
        guard let node = try? walker.next(in: span), node.tag == .commandTemplate, node.start == 0,
            node.value.upperBound == count
        else {
            return nil
        }
        return Array(self[node.value])
    }
}
