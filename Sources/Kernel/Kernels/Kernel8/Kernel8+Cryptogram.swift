import CardCryptography
import Contactless
import EMVKernel
import SmartCard
import TLV

/// GENERATE AC: its parameters, and the authentication of its answer (EMV Contactless Book C-8, S26
/// to S29; Book E, 3.2 and 5).
extension Kernel8 {
    /// Data objects that are valid only in the answer to GENERATE AC.
    static let answerTags: [Tag] = [
        .cryptogramInformationData, .applicationTransactionCounter, .applicationCryptogram, .issuerApplicationData,
        .cardholderVerificationDecision, .enhancedDataAuthenticationMAC, .cardTVR, .authenticatedApplicationData,
        .restartIndicator, .issuerApplicationDataMACOffset,
    ]

    // MARK: The command

    mutating func generateAC() throws(Termination) -> KernelStep {
        let list = try self.list
        data.terminal.update(with: activation.environment.values(for: .firstCryptogram))
        if let relay { data.terminal[.unpredictableNumber] = relay.terminalEntropy }
        let hash = try staticDataHash
        let authentication = try authenticate(hash)
        if authentication == .notPerformed { tvr.insert(.offlineDataAuthenticationNotPerformed) }
        putLimits()
        let type = cryptogramType(authentication, isOnlinePIN: false)
        let request = CryptogramRequest(
            type: type, values: list.concatenate(data), staticDataHash: hash, authentication: authentication)
        phase = .cryptogram(request)
        return KernelStep(
            .transmit(.generateAC(type.rawValue, request.values, writesData: writesAfterwards)))
    }

    /// Whether WRITE DATA follows GENERATE AC.
    private var writesAfterwards: Bool { canWrite && !configuration.envelopesToWrite.isEmpty }

    /// CDOL1.
    private var list: DOL {
        get throws(Termination) {
            guard let own = data.card[.cdol1] else {
                guard let other = configuration.defaultCDOL1 else { throw .missingData(.cdol1) }
                return other
            }
            guard let list = try? DOL(parsing: own), list.dataLength <= 252 else { throw .invalidData(.cdol1) }
            return list
        }
    }

    /// Sets TVR, terminal capabilities and risk management data according to the limits.
    private mutating func putLimits() {
        let amount = activation.request.amount
        let isAbove = amount > configuration.cvmRequiredLimit
        let verification = isAbove ? configuration.verificationAboveLimit : configuration.verificationBelowLimit
        data.terminal[.terminalCapabilities] = terminalCapabilities(verification)
        var management = data.terminal[.terminalRiskManagementData] ?? []
        management += [UInt8](repeating: 0, count: max(0, 8 - management.count))
        management[0] = verification.rawValue
        if isAbove { management[1] |= 0x80 }
        data.terminal[.terminalRiskManagementData] = management
        if amount > configuration.floorLimit { tvr.insert(.floorLimitExceeded) }
        if !activation.combination.matches(activation.application.name ?? []) { tvr.insert(.aidMismatch) }
        data.terminal[.terminalVerificationResults] = tvr.bytes
        data.terminal[.cvmResults] = [0, 0, 0]
    }

    // MARK: Local authentication

    /// SHA-256 over the records to be authenticated, the data objects that the card lists in
    /// `9F810A`, and the value of the AIP.
    private var staticDataHash: [UInt8] {
        get throws(Termination) {
            let list: TagList
            do throws(TLVError) {
                list = try TagList(parsing: data.card[.extendedSDATagList] ?? [])
            } catch {
                throw .invalidData(.extendedSDATagList)
            }
            var builder = TLVBuilder()
            for tag in list.tags { builder.append(tag, data.card[tag] ?? []) }
            return SHA256.hash(signedRecords, builder.bytes, profile.bytes)
        }
    }

    private func authenticate(_ hash: [UInt8]) throws(Termination) -> LocalAuthentication {
        guard configuration.authenticatesLocally, profile.contains(.localAuthenticationSupported) else {
            return .notPerformed
        }
        for tag in [Tag.caPublicKeyIndexCard, .issuerPublicKeyCertificate, .iccPublicKeyCertificate, .applicationPAN]
        where !data.card.contains(tag) { throw .missingData(tag) }
        let chain = CertificateChain(
            card: data.card, rid: activation.combination.rid, caKeys: activation.terminal.caKeys,
            revoked: activation.terminal.revokedCertificates, date: activation.request.date,
            time: activation.request.time)
        do throws(DataAuthenticationFailure) {
            let key = try chain.channelKey(chain.ellipticCurveIssuerKey(), staticDataHash: hash)
            // The card must have the private key to the key of the channel.
            guard let cardKey, cardKey.isBlinded(key.key) else { throw .signature(.signature) }
            return .performed
        } catch {
            return .failed(error)
        }
    }

    // MARK: The answer

    mutating func takeCryptogram(_ answer: ResponseAPDU, _ request: CryptogramRequest) throws(Termination) -> KernelStep
    {
        guard answer.status == .success else { throw .commandFailed(.generateAC, answer.status) }
        let objects = try ResponseTemplate.parse(answer.data, of: .generateAC) { (_: [UInt8]) throws(Termination) in
            throw .malformedAnswer(.generateAC, nil)
        }
        for tag in Self.answerTags { data.card[tag] = objects[tag] }
        for (tag, count) in Self.mandatory {
            guard let value = objects[tag] else { throw .missingData(tag) }
            guard value.count == count else { throw .invalidData(tag) }
        }
        guard let issuerData = objects[.issuerApplicationData], !issuerData.isEmpty else {
            throw .missingData(.issuerApplicationData)
        }
        guard data.card.pan != nil else { throw .missingData(.applicationPAN) }
        guard let channel else { throw .configuration(.ended) }
        let code = channel.issuerApplicationDataMAC(
            sentOptions + request.values + (relay?.exchanged ?? [])
                + CombinedSignature.objects(
                    of: answer.data, without: [.applicationCryptogram, .enhancedDataAuthenticationMAC])
                + request.staticDataHash)
        data.terminal[.issuerApplicationDataMAC] = code
        try put(code, in: issuerData)
        let expected = channel.enhancedDataAuthenticationMAC(
            cryptogram: objects[.applicationCryptogram] ?? [], issuerApplicationDataMAC: code)
        guard objects[.enhancedDataAuthenticationMAC] == expected else {
            return end(.end(.enhancedDataAuthentication, languages: languages, holdTime: configuration.messageHoldTime))
        }
        let outcome = try decide(request)
        guard writesAfterwards else { return end(outcome, show: cardRead) }
        var step = writeEnvelope(0, outcome)
        step.show = cardRead
        return step
    }

    private var cardRead: UserInterfaceRequest {
        UserInterfaceRequest(.cardReadRemove, .cardReadSuccessfully, languages: languages)
    }

    private static let mandatory: [(Tag, Int)] = [
        (.cryptogramInformationData, 1), (.applicationTransactionCounter, 2), (.applicationCryptogram, 8),
        (.cardholderVerificationDecision, 1), (.enhancedDataAuthenticationMAC, 8),
    ]

    /// Inserts the IAD-MAC where the AIP says, so that the cryptogram covers it.
    private mutating func put(_ code: [UInt8], in issuerData: [UInt8]) throws(Termination) {
        let offset: Int
        switch (profile.contains(.copiesMACToCardsOffset), profile.contains(.copiesMACToDefaultOffset)) {
        case (false, true): offset = Int(configuration.defaultMACOffset)
        case (true, false):
            guard let own = data.card[.issuerApplicationDataMACOffset] else {
                throw .missingData(.issuerApplicationDataMACOffset)
            }
            guard let first = own.first, own.count == 1 else { throw .invalidData(.issuerApplicationDataMACOffset) }
            offset = Int(first)
        case (false, false), (true, true): return
        }
        guard offset + code.count <= issuerData.count else { throw .invalidData(.issuerApplicationData) }
        var copied = issuerData
        copied.replaceSubrange(offset..<offset + code.count, with: code)
        data.card[.issuerApplicationData] = copied
    }
}
