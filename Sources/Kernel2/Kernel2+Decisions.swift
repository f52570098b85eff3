import CardCryptography
import Contactless
import EMVKernel
import SmartCard
import TLV

/// From the card's records to the outcome (EMV Contactless Book C-2, 7.5 to 7.8 and S9).
extension Kernel2 {
    // MARK: Before GENERATE AC

    /// The parameters of GENERATE AC, and the card's key for CDA, whether or not a signature is
    /// requested.
    mutating func request(_ staticData: StaticData) throws(Termination) -> (CryptogramRequest, key: RSAPublicKey?) {
        for tag in [Tag.applicationPAN, .applicationExpirationDate, .cdol1] where !data.card.contains(tag) { throw .missingData(tag) }
        guard data.card.pan != nil else { throw .invalidData(.applicationPAN) }
        let relayNumber = exchangedRelayData == nil ? nil : data.terminal[.unpredictableNumber]
        data.terminal.update(with: activation.environment.values(for: .firstCryptogram))
        if let relayNumber { data.terminal[.unpredictableNumber] = relayNumber }
        let key = recoverKey(staticData)
        tvr.formUnion(
            try ProcessingRestrictions.evaluate(
                data.card, request: activation.request, versions: configuration.versions, configuration: activation.terminal))
        if activation.isOnExceptionFile(data.card) { tvr.insert(.cardOnExceptionFile) }
        let verification = verify()
        tvr.formUnion(verification.tvr)
        if activation.request.amount > configuration.floorLimit { tvr.insert(.floorLimitExceeded) }
        data.terminal[.cvmResults] = verification.results.bytes
        data.terminal[.terminalVerificationResults] = tvr.bytes

        let type = cryptogramType(verification, hasKey: key != nil)
        // CDA over an AAC requires support by the card: byte 2 bit 1 of its application
        // capabilities.
        let signsDeclines = data.card[0x9F5D].map { $0.count == 3 && $0[1] & 0x01 != 0 } ?? false
        let list: DOL
        do throws(TLVError) { list = try DOL(parsing: data.card[.cdol1] ?? []) } catch { throw .invalidData(.cdol1) }
        guard list.dataLength <= 252 else { throw .invalidData(.cdol1) }
        let request = CryptogramRequest(
            type: type, values: list.concatenate(data), cardKey: type == .aac && !signsDeclines ? nil : key,
            verification: verification.method)
        return (request, key)
    }

    /// The card's key for CDA; nil if card or terminal does not support it, or a certificate is
    /// invalid.
    private mutating func recoverKey(_ staticData: StaticData) -> RSAPublicKey? {
        guard profile.contains(.cdaSupported), activation.terminal.capabilities.contains(.cda) else {
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
            tvr, terminal: configuration.actionCodes, issuer: ActionAnalysis.issuerActionCodes(data.card), type: activation.terminal.type)
        // Only the issuer can verify an online PIN. The book has no exception file: a listed card is
        // for the issuer to decide, regardless of the action codes.
        let wantsIssuer =
            activation.request.forcesOnline || verification.method == .onlinePIN || tvr.contains(.cardOnExceptionFile)
        guard wantsIssuer, analysis.request == .tc else { return analysis.request }
        return activation.terminal.type.isOfflineOnly ? .aac : .arqc
    }

    // MARK: The card's answer (S9)

    mutating func takeCryptogram(_ answer: ResponseAPDU, _ request: CryptogramRequest) throws(Termination) -> ContactlessOutcome {
        let answer = try CryptogramAnswer(answer, to: request)
        let objects = answer.objects
        for tag in CryptogramAnswer.tags + [Self.interaction] { data.card[tag] = objects[tag] }
        if answer.mustBeSigned(for: request) {
            switch try answer.verify(
                request, terminal: data.terminal, sentOptions: sentOptions, exchangedData: exchangedRelayData)
            {
            case .success(let cryptogram): data.card[.applicationCryptogram] = cryptogram
            case .failure(let failure):
                tvr.insert(.cdaFailed)
                data.terminal[.terminalVerificationResults] = tvr.bytes
                return .end(.dataAuthentication(failure), languages: languages, holdTime: Self.holdTime)
            }
        }
        if request.cardKey == nil || !objects.contains(.signedDynamicApplicationData) { putRelayDataInTrack2() }
        guard let cryptogram = data.card[.applicationCryptogram] else { throw .missingData(.applicationCryptogram) }
        guard cryptogram.count == 8 else { throw .invalidData(.applicationCryptogram) }
        return outcome(answer.type, request)
    }

    /// 1.3 s, the message hold time of DF812D.
    private static let holdTime: UInt32 = 13
    /// POS cardholder interaction information.
    static let interaction: Tag = 0xDF4B

    // MARK: Outcomes

    private func outcome(_ type: CryptogramType, _ request: CryptogramRequest) -> ContactlessOutcome {
        var outcome: ContactlessOutcome
        switch type {
        case .tc:
            outcome = ContactlessOutcome(.approved)
            let message = request.verification == .signature ? UserInterfaceRequest.Message.approvedSign : .approved
            outcome.onOutcome = UserInterfaceRequest(message, .cardReadSuccessfully, languages: languages)
        case .arqc:
            outcome = ContactlessOutcome(.onlineRequest)
            outcome.onOutcome = UserInterfaceRequest(.authorizing, .cardReadSuccessfully, languages: languages)
        case .aac: return declined()
        }
        outcome.verification = request.verification
        outcome.wantsReceipt = request.verification == .signature
        outcome.data = data
        return outcome
    }

    func declined() -> ContactlessOutcome {
        if verifiesOnDevice, let interaction = data.card[Self.interaction], interaction.count == 3,
            interaction[1] & 0x0F != 0 || interaction[2] & 0x01 != 0
        {
            var outcome = ContactlessOutcome(.endApplication, start: .b, reason: .seePhone)
            outcome.onOutcome = UserInterfaceRequest(.seePhone, .processingError, holdTime: Self.holdTime, languages: languages)
            outcome.onRestart = UserInterfaceRequest(.presentCardAgain, .readyToRead, languages: languages)
            return outcome
        }
        guard activation.terminal.capabilities.contains(.contactChip), !isDevice else {
            var outcome = ContactlessOutcome(.declined, reason: .cardDeclined)
            outcome.onOutcome = UserInterfaceRequest(.notAuthorized, .cardReadSuccessfully, languages: languages)
            outcome.data = data
            return outcome
        }
        var outcome = ContactlessOutcome(.tryAnotherInterface, reason: .otherInterface)
        outcome.onOutcome = UserInterfaceRequest(.insertCard, .processingError, languages: languages)
        outcome.alternateInterface = .contactChip
        return outcome
    }

    /// Third party data, tag `9F6E`: bit 16 of the unique identifier is 0 and the device type is
    /// not a card.
    private var isDevice: Bool {
        guard let value = data.card[.formFactorIndicator], value.count >= 6, value[2] & 0x80 == 0 else { return false }
        return Array(value[4..<6]) != Array("00".utf8)
    }
}
