import Bytes
import CardCryptography
import Contactless
import EMVKernel
import SmartCard
import TLV

/// From the card's records to the outcome.
extension Kernel4 {
    // MARK: Before GENERATE AC

    mutating func request(_ staticData: StaticData) throws(Termination) -> CryptogramRequest {
        for tag in [Tag.applicationPAN, .applicationExpirationDate, .cdol1] where !data.card.contains(tag) {
            throw .missingData(tag)
        }
        guard data.card.pan != nil else { throw .invalidData(.applicationPAN) }
        let list: DOL
        do throws(TLVError) { list = try DOL(parsing: data.card[.cdol1] ?? []) } catch { throw .invalidData(.cdol1) }
        guard list.dataLength <= 252 else { throw .invalidData(.cdol1) }
        data.terminal.update(with: activation.environment.values(for: .firstCryptogram))
        let key = authenticate(staticData)
        tvr.formUnion(
            try ProcessingRestrictions.evaluate(
                data.card, request: activation.request, versions: configuration.versions,
                configuration: activation.terminal))
        if activation.isOnExceptionFile(data.card) { tvr.insert(.cardOnExceptionFile) }
        let verification = verify(isAuthentic: key != nil)
        tvr.formUnion(verification.tvr)
        if activation.indicators.floorLimitExceeded { tvr.insert(.floorLimitExceeded) }
        data.terminal[.cvmResults] = verification.results.bytes
        data.terminal[.terminalVerificationResults] = tvr.bytes
        let type = cryptogramType(verification, hasKey: key != nil)
        return CryptogramRequest(
            type: type, values: list.concatenate(data), cardKey: type == .aac ? nil : key,
            verification: verification.method)
    }

    /// CDA, else SDA, as far as it goes before GENERATE AC.
    ///
    /// - Returns: The card's key for CDA; nil if card or terminal does not support it, or a
    ///   certificate is invalid.
    private mutating func authenticate(_ staticData: StaticData) -> RSAPublicKey? {
        let capabilities = activation.terminal.capabilities
        if profile.contains(.cdaSupported), capabilities.contains(.cda) {
            do throws(DataAuthenticationFailure) {
                return try activation.cardKey(data.card, staticData)
            } catch {
                insert(.cdaFailed, error)
                return nil
            }
        }
        guard profile.contains(.sdaSupported), capabilities.contains(.sda) else {
            tvr.insert(.offlineDataAuthenticationNotPerformed)
            return nil
        }
        tvr.insert(.sdaSelected)
        do throws(DataAuthenticationFailure) {
            try verifyStaticSignature(staticData)
        } catch {
            insert(.sdaFailed, error)
        }
        return nil
    }

    private mutating func insert(_ bit: TerminalVerificationResults, _ failure: DataAuthenticationFailure) {
        if case .missingData = failure { tvr.insert(.iccDataMissing) }
        tvr.insert(bit)
    }

    /// EMV 4.4 Book 2, 5.4.
    private mutating func verifyStaticSignature(_ staticData: StaticData) throws(DataAuthenticationFailure) {
        let issuer = try activation.certificateChain(data.card).issuerKey().key
        guard let signed = data.card[.signedStaticApplicationData] else {
            throw .missingData(.signedStaticApplicationData)
        }
        var signedData = try staticData.complete(data.card)
        defer { wipe(&signedData) }
        do throws(CertificateError) {
            data.terminal[.dataAuthenticationCode] = try SignedStaticApplicationData.verify(
                signed, issuer: issuer, staticData: signedData)
        } catch {
            throw .signature(error)
        }
    }

    /// A phone's own verification, else the card's list. What the phone says is not signed: it
    /// counts for a card that is authentic, and only if the AIP, which its certificate covers, says
    /// that it is a phone.
    private mutating func verify(isAuthentic: Bool) -> CardVerification {
        let capabilities = activation.capabilities(
            requiresVerification ? configuration.verificationAboveLimit : configuration.verificationBelowLimit)
        data.terminal[.terminalCapabilities] = capabilities.bytes
        if configuration.supportsMobileVerification, isAuthentic, profile.contains(.mobileSupported),
            MobileVerification(data.card).isSuccessful, let results = MobileVerification.successful
        {
            return CardVerification(results: results, method: .consumerDevice)
        }
        return activation.verification(by: data.card, profile, capabilities: capabilities)
    }

    /// Terminal action analysis (EMV 4.4 Book 3, 10.7), and what the issuer alone may approve.
    private func cryptogramType(_ verification: CardVerification, hasKey: Bool) -> CryptogramType {
        let analysis = ActionAnalysis.first(
            tvr, terminal: configuration.actionCodes, issuer: ActionAnalysis.issuerActionCodes(data.card),
            type: activation.terminal.type)
        guard analysis.request == .tc, wantsIssuer(verification, hasKey: hasKey) else { return analysis.request }
        return activation.terminal.type.isOfflineOnly ? .aac : .arqc
    }

    /// Whether no TC may be requested, regardless of the action codes: only a signed TC is evidence
    /// of the card, only the issuer can verify an online PIN, and only it decides about refunds,
    /// listed cards and cardholders who should have been verified.
    private func wantsIssuer(_ verification: CardVerification, hasKey: Bool) -> Bool {
        let indicators = activation.indicators
        let isVerified = verification.method != nil && verification.method != ContactlessOutcome.Verification.none
        return !hasKey || activation.request.forcesOnline || activation.request.kind == .refund
            || verification.method == .onlinePIN
            || tvr.contains(.cardOnExceptionFile) || indicators.statusCheckRequested || indicators.zeroAmount
            || requiresVerification && !isVerified
    }

    // MARK: The card's answer

    mutating func takeCryptogram(_ answer: CryptogramAnswer, _ request: CryptogramRequest) throws(Termination)
        -> ContactlessOutcome
    {
        for tag in CryptogramAnswer.tags { data.card[tag] = answer.objects[tag] }
        if answer.mustBeSigned(for: request) {
            switch try answer.verify(request, terminal: data.terminal, sentOptions: sentOptions) {
            case .success(let signed): data.card[.applicationCryptogram] = signed.cryptogram
            case .failure(let failure):
                tvr.insert(.cdaFailed)
                data.terminal[.terminalVerificationResults] = tvr.bytes
                return .declined(.dataAuthentication(failure), data, languages: languages)
            }
        }
        guard let cryptogram = data.card[.applicationCryptogram] else { throw .missingData(.applicationCryptogram) }
        guard cryptogram.count == 8 else { throw .invalidData(.applicationCryptogram) }
        switch answer.type {
        case .tc: return .approved(data, verification: request.verification, languages: languages)
        case .arqc: return .online(data, verification: request.verification, languages: languages)
        case .aac:
            guard activation.terminal.capabilities.contains(.contactChip), !profile.contains(.mobileSupported) else {
                return .declined(request.type == .aac ? .actionCodes(tvr) : .cardDeclined, data, languages: languages)
            }
            return .tryContacts(
                request.type == .aac ? .contactsByActionCodes(tvr) : .otherInterface, languages: languages)
        }
    }
}
