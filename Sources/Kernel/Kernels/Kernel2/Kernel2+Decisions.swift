import CardCryptography
import Contactless
import EMVKernel
import SmartCard
import TLV

/// From the card's records to the outcome (EMV Contactless Book C-2, 7.5 to 7.8 and S9).
extension Kernel2 {
    // MARK: Before GENERATE AC

    /// What is decided before GENERATE AC.
    struct Preparation {
        /// By terminal action analysis.
        let type: CryptogramType
        /// Nil if the card's signature cannot be verified.
        let key: RSAPublicKey?
        let verification: ContactlessOutcome.Verification?
    }

    /// The terminal's data do not allow a GENERATE AC.
    struct Stop: Error {
        let reason: ContactlessReason
    }

    /// S456: mandatory records, certificates, processing restrictions, cardholder verification
    /// (7.5), floor limit and terminal action analysis (7.8; EMV Contactless Book C-2).
    mutating func prepare(_ staticData: StaticData) throws(Termination) -> Preparation {
        for tag in [Tag.applicationPAN, .applicationExpirationDate, .cdol1] where !data.card.contains(tag) {
            throw .missingData(tag)
        }
        guard data.card.pan != nil else { throw .invalidData(.applicationPAN) }
        try checkStorageIdentifier()
        askTerminal()
        let relayNumber = exchangedRelayData == nil ? nil : data.terminal[.unpredictableNumber]
        data.terminal.update(with: activation.environment.values(for: .firstCryptogram))
        if let relayNumber { data.terminal[.unpredictableNumber] = relayNumber }
        let key = recoverKey(staticData)
        tvr.formUnion(
            try ProcessingRestrictions.evaluate(
                data.card, request: activation.request, versions: configuration.versions,
                configuration: activation.terminal))
        if activation.isOnExceptionFile(data.card) { tvr.insert(.cardOnExceptionFile) }
        let verification = verify()
        tvr.formUnion(verification.tvr)
        if activation.request.amount > configuration.floorLimit { tvr.insert(.floorLimitExceeded) }
        data.terminal[.cvmResults] = verification.results.bytes
        data.terminal[.terminalVerificationResults] = tvr.bytes
        return Preparation(
            type: cryptogramType(verification, hasKey: key != nil), key: key, verification: verification.method)
    }

    /// The parameters of GENERATE AC (7.6).
    mutating func request(_ preparation: Preparation) throws(Termination) -> Result<CryptogramRequest, Stop> {
        let list: DOL
        do throws(TLVError) { list = try DOL(parsing: data.card[.cdol1] ?? []) } catch { throw .invalidData(.cdol1) }
        guard list.dataLength <= 252 else { throw .invalidData(.cdol1) }
        // CDA over an AAC requires support by the card: byte 2 bit 1 of its application
        // capabilities.
        let signsDeclines = data.card[.applicationCapabilities].map { $0.count == 3 && $0[1] & 0x01 != 0 } ?? false
        let values = list.concatenate(data)
        var (type, storageData, isSigned) = (preparation.type, [UInt8](), preparation.type != .aac || signsDeclines)
        if storage.status.contains(.read), preparation.key != nil {
            // The card's summaries are under its signature, also with an AAC.
            isSigned = true
            switch try storageCommand(type) {
            case .readOnly: break
            case .write(let requested, let stored):
                guard values.count + stored.count <= 255 else { throw .invalidData(.dsdol) }
                (type, storageData) = (requested, stored)
                storage.status.insert(.write)
            case .stop(let reason): return .failure(Stop(reason: reason))
            }
        }
        if !storage.status.isEmpty { data.terminal[.storageStatus] = [storage.status.rawValue] }
        return .success(
            CryptogramRequest(
                type: type, values: values, storageData: storageData, cardKey: isSigned ? preparation.key : nil,
                verification: preparation.verification))
    }

    /// The card's key for CDA; nil if card or terminal does not support it, or a certificate is
    /// invalid (EMV Contactless Book C-2, S456).
    private mutating func recoverKey(_ staticData: StaticData) -> RSAPublicKey? {
        let supportsCDA = profile.contains(.cdaSupported) && activation.terminal.capabilities.contains(.cda)
        guard supportsCDA || storage.status.contains(.read) else {
            tvr.insert(.offlineDataAuthenticationNotPerformed)
            return nil
        }
        do throws(DataAuthenticationFailure) {
            return try activation.cardKey(data.card, staticData)
        } catch {
            if case .missingData = error { tvr.insert(.iccDataMissing) }
            tvr.insert(.cdaFailed)
            return nil
        }
    }

    /// CVM selection (EMV Contactless Book C-2, 7.5): on the device, or by the card's list with
    /// DF8118 or DF8119.
    private mutating func verify() -> CardVerification {
        let isAbove = isAboveVerificationLimit
        let capabilities = activation.capabilities(
            isAbove ? configuration.verificationAboveLimit : configuration.verificationBelowLimit)
        data.terminal[.terminalCapabilities] = capabilities.bytes
        if verifiesOnDevice { return CardVerification(onDeviceAboveLimit: isAbove) }
        return activation.verification(by: data.card, profile, capabilities: capabilities)
    }

    /// Terminal action analysis (7.8) and the other conditions that prevent a TC (7.6).
    private func cryptogramType(_ verification: CardVerification, hasKey: Bool) -> CryptogramType {
        // Verification on a device is not valid without the card's signature.
        if verifiesOnDevice && !hasKey { return .aac }
        let analysis = ActionAnalysis.first(
            tvr, terminal: configuration.actionCodes, issuer: ActionAnalysis.issuerActionCodes(data.card),
            type: activation.terminal.type)
        // Only the issuer can verify an online PIN. The book has no exception file: a listed card
        // is for the issuer to decide, regardless of the action codes; and so is a refund, as in
        // the other kernels: no card may pay it out alone.
        let wantsIssuer =
            activation.request.forcesOnline || activation.request.kind == .refund || verification.method == .onlinePIN
            || tvr.contains(.cardOnExceptionFile)
        guard wantsIssuer, analysis.request == .tc else { return analysis.request }
        return activation.terminal.type.isOfflineOnly ? .aac : .arqc
    }

    // MARK: The card's answer (S9)

    /// The card's answer with a cryptogram.
    enum Response {
        /// S910.70: the card's decision.
        case valid(ContactlessOutcome)
        /// S910.50 and S910.61: the tap ends without it.
        case invalid(ContactlessOutcome)

        var outcome: ContactlessOutcome {
            switch self {
            case .valid(let outcome), .invalid(let outcome): outcome
            }
        }
    }

    /// S9, and S11 after RECOVER AC (EMV Contactless Book C-2, S910): the type that the card may
    /// give, and its signature.
    ///
    /// - Parameter replaced: A torn transaction that the card could not recover.
    mutating func takeCryptogram(
        _ answer: ResponseAPDU, _ request: CryptogramRequest, replacing replaced: TornTransaction? = nil
    ) throws(Termination) -> Response {
        let answer = try CryptogramAnswer(answer, to: request)
        let objects = answer.objects
        for tag in CryptogramAnswer.tags + [.cardholderInteraction] { data.card[tag] = objects[tag] }
        if answer.mustBeSigned(for: request) {
            switch try answer.verify(
                request, terminal: data.terminal, sentOptions: sentOptions,
                summaryLength: storage.status.contains(.read) ? storageVersion?.summaryLength ?? 0 : 0,
                exchangedData: exchangedRelayData)
            {
            case .success(let signed):
                data.card[.applicationCryptogram] = signed.cryptogram
                if let reason = try takeSummaries(signed, replacing: replaced) {
                    let outcome = ContactlessOutcome.end(
                        reason, languages: languages, holdTime: configuration.messageHoldTime)
                    // The terminal stops after a write that did not happen: there is nothing to
                    // record (S910.19).
                    return .invalid(reason == .dataStorageWrite ? outcome : recordingWrite(outcome))
                }
            case .failure(let failure):
                tvr.insert(.cdaFailed)
                data.terminal[.terminalVerificationResults] = tvr.bytes
                return .invalid(
                    recordingWrite(
                        .end(
                            .dataAuthentication(failure), languages: languages, holdTime: configuration.messageHoldTime)
                    ))
            }
        } else if storage.status.contains(.read), answer.type == .aac {
            // S910.33: what the card reports of its slot is not signed.
            throw .invalidData(.signedDynamicApplicationData)
        }
        if request.cardKey == nil || !objects.contains(.signedDynamicApplicationData) { putRelayDataInTrack2() }
        guard let cryptogram = data.card[.applicationCryptogram] else { throw .missingData(.applicationCryptogram) }
        guard cryptogram.count == 8 else { throw .invalidData(.applicationCryptogram) }
        return .valid(outcome(answer.type, request))
    }

    // MARK: Outcomes

    /// The outcome by the card's cryptogram (EMV Contactless Book C-2, S910.70), its message,
    /// status and hold time (S910.75). Above the limit DF8126 there is a receipt (S456).
    private func outcome(_ type: CryptogramType, _ request: CryptogramRequest) -> ContactlessOutcome {
        var outcome: ContactlessOutcome
        switch type {
        case .tc:
            outcome = ContactlessOutcome(.approved)
            let message = request.verification == .signature ? UserInterfaceRequest.Message.approvedSign : .approved
            outcome.onOutcome = UserInterfaceRequest(
                message, .notReady, holdTime: configuration.messageHoldTime, languages: languages)
        case .arqc:
            outcome = ContactlessOutcome(.onlineRequest)
            outcome.onOutcome = UserInterfaceRequest(.authorizing, .notReady, languages: languages)
        case .aac: return declined(asked: request.type)
        }
        outcome.verification = request.verification
        outcome.wantsReceipt = request.verification == .signature || isAboveVerificationLimit
        outcome.data = data
        return outcome
    }

    /// The outcome of an AAC, or of an answer without codes in mag-stripe mode: a phone that wants
    /// its owner (DF4B), the contacts, or the end (EMV Contactless Book C-2, S910, S13 and S14).
    /// Only purchases and cash go to the contacts, or are declined (S910.74); any other type of
    /// transaction ends without a word (S910.75).
    ///
    /// - Parameter type: What the terminal asked for.
    func declined(asked type: CryptogramType? = nil) -> ContactlessOutcome {
        let isTerminals = type == .aac
        if verifiesOnDevice, let interaction = data.card[.cardholderInteraction], interaction.count == 3,
            interaction[1] & 0x0F != 0 || interaction[2] & 0x01 != 0
        {
            var outcome = ContactlessOutcome(.endApplication, start: .b, reason: .seePhone)
            let (message, status) = phoneMessage(interaction)
            outcome.onOutcome = UserInterfaceRequest(
                message, status, holdTime: configuration.messageHoldTime, languages: languages)
            outcome.onRestart = UserInterfaceRequest(message, .readyToRead, languages: languages)
            return outcome
        }
        let hold = configuration.messageHoldTime
        guard activation.request.kind != .refund else {
            var outcome = ContactlessOutcome(.endApplication, reason: isTerminals ? .actionCodes(tvr) : .cardDeclined)
            outcome.onOutcome = UserInterfaceRequest(.clearDisplay, .notReady, languages: languages)
            outcome.data = data
            return outcome
        }
        guard activation.terminal.capabilities.contains(.contactChip), !isDevice else {
            var outcome = ContactlessOutcome(.declined, reason: isTerminals ? .actionCodes(tvr) : .cardDeclined)
            outcome.onOutcome = UserInterfaceRequest(.notAuthorized, .notReady, holdTime: hold, languages: languages)
            outcome.data = data
            return outcome
        }
        var outcome = ContactlessOutcome(
            .tryAnotherInterface, reason: isTerminals ? .contactsByActionCodes(tvr) : .otherInterface)
        outcome.onOutcome = UserInterfaceRequest(.insertCard, .notReady, holdTime: hold, languages: languages)
        outcome.alternateInterface = .contactChip
        return outcome
    }

    /// By the phone message table DF8131 (EMV Contactless Book C-2, annex A).
    private func phoneMessage(
        _ interaction: [UInt8]
    ) -> (UserInterfaceRequest.Message, UserInterfaceRequest.Status) {
        let bits = interaction.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        guard let row = configuration.phoneMessages.first(where: { bits & $0.mask == $0.value }) else {
            return (.notAuthorized, .notReady)
        }
        return (row.message, row.status)
    }

    /// Third party data, tag `9F6E` (EMV Contactless Book C-2, annex A): bit 16 of the unique
    /// identifier is 0 and the device type is not a card.
    private var isDevice: Bool {
        guard let value = data.card[.formFactorIndicator], value.count >= 6, value[2] & 0x80 == 0 else { return false }
        return Array(value[4..<6]) != Array("00".utf8)
    }
}
