import Bytes
import CardCryptography
import SmartCard
import TLV

/// Offline data authentication, the part before GENERATE AC (EMV 4.4 Book 3, 10.3; Book 2, 5, 6 and
/// 12).
extension ContactTransaction {
    var profile: ApplicationInterchangeProfile {
        data.card.field(.applicationInterchangeProfile) ?? []
    }

    mutating func authenticateDataOffline(_ application: ApplicationConfiguration) async throws(Termination) {
        authentication.method = DataAuthenticationMethod.choose(profile, capabilities)
        guard let method = authentication.method else {
            tvr.insert(.offlineDataAuthenticationNotPerformed)
            observe?(.dataAuthentication(nil, nil))
            return
        }
        if !method.mandatoryTags.allSatisfy({ data.card.contains($0) }) { tvr.insert(.iccDataMissing) }
        do throws(DataAuthenticationFailure) { try recoverKeys(for: method, application) } catch {
            authentication.failure = error
        }
        let keyFailure = authentication.failure
        if case .missingData = authentication.failure { tvr.insert(.iccDataMissing) }
        if case .unknownCAKey? = authentication.failure, let logged = authentication.logged {
            authentication.assumed = logged
            if !logged.fails(method) { authentication.failure = nil }
        }
        switch method {
        case .sda:
            tvr.insert(.sdaSelected)
            finishDataAuthentication()
        case .dda:
            if authentication.failure == nil { authentication.failure = try await verifyDynamicSignature(application) }
            finishDataAuthentication()
        case .cda:
            if authentication.failure == nil { authentication.signature = .cda } else { finishDataAuthentication() }
        case .xda:
            tvr.insert(.xdaSelected)
            authentication.signature = .xda
            // Only a failure of the authority's key affects the first action analysis (Book 4,
            // 6.3.2.2.1 and 6.3.2.2.2).
            if authentication.failure?.isAboutTheAuthority ?? false { tvr.insert(.caECCKeyMissing) }
        }
        if let keyFailure, authentication.assumed != nil {
            observe?(.dataAuthenticationNotChecked(method, keyFailure))
        } else {
            observe?(.dataAuthentication(method, authentication.failure))
        }
    }

    /// Sets TVR and TSI when the method is complete.
    mutating func finishDataAuthentication() {
        tsi.insert(.offlineDataAuthentication)
        if let method = authentication.method, let failure = authentication.failure {
            tvr.formUnion(method.bit(for: failure))
        }
    }

    func certificateChain(_ application: ApplicationConfiguration) -> CertificateChain {
        CertificateChain(
            card: data.card, rid: application.rid, caKeys: configuration.caKeys,
            revoked: configuration.revokedCertificates,
            date: request.date, time: request.time, issuers: configuration.issuerCertificates)
    }

    /// The checks without further commands: the certificates that `method` needs, and the signature
    /// of SDA.
    private mutating func recoverKeys(
        for method: DataAuthenticationMethod, _ application: ApplicationConfiguration
    ) throws(DataAuthenticationFailure) {
        let chain = certificateChain(application)
        let authority = try chain.authority()
        data.terminal.set(.caPublicKeyIndexTerminal, bigEndian: UInt64(authority.index), count: 1)
        switch method {
        case .sda:
            let issuer = try chain.issuerKey(authority).key
            var signed = try authentication.staticData.complete(data.card)
            defer { wipe(&signed) }
            try verifyStaticSignature(issuer, signed)
        case .dda, .cda:
            let issuer = try chain.issuerKey(authority)
            authentication.cardKey = .rsa(
                try authentication.staticData.complete(data.card) { data throws(DataAuthenticationFailure) in
                    try chain.iccKey(issuer, staticData: data).key
                })
        case .xda:
            let issuer = try chain.ellipticCurveIssuerKey()
            var cardData = try issuerCertifiedCardData()
            defer { wipe(&cardData) }
            authentication.cardKey = try .ellipticCurve(chain.ellipticCurveICCKey(issuer, cardData: cardData))
        }
    }

    func issuerCertifiedCardData() throws(DataAuthenticationFailure) -> [UInt8] {
        try authentication.staticData.issuerCertified(
            data.card, aid: data.terminal[.applicationIdentifierTerminal] ?? [])
    }

    /// EMV 4.4 Book 2, 5.4.
    private mutating func verifyStaticSignature(_ issuer: RSAPublicKey, _ staticData: [UInt8])
        throws(DataAuthenticationFailure)
    {
        guard let signed = data.card[.signedStaticApplicationData] else {
            throw .missingData(.signedStaticApplicationData)
        }
        do throws(CertificateError) {
            data.terminal[.dataAuthenticationCode] = try SignedStaticApplicationData.verify(
                signed, issuer: issuer, staticData: staticData)
        } catch {
            throw .signature(error)
        }
    }

    /// EMV 4.4 Book 2, 6.5. A refusal or a malformed answer of the card ends the transaction (Book
    /// 3, 6.3.5, 6.5.9.4 and 7.5).
    private mutating func verifyDynamicSignature(
        _ application: ApplicationConfiguration
    ) async throws(Termination) -> DataAuthenticationFailure? {
        guard let list = try list(.ddol) ?? (try? DOL(parsing: application.defaultDDOL)),
            list.entries.contains(DOL.Entry(.unpredictableNumber, 4))
        else { return .ddolWithoutUnpredictableNumber }
        let dynamicData = concatenate(list, for: .internalAuthenticate)
        let response = try await send(.internalAuthenticate(dynamicData))
        guard response.status == .success else { throw .commandFailed(.internalAuthenticate, response.status) }
        let answer = try ResponseTemplate.parse(response.data, of: .internalAuthenticate) {
            (value: [UInt8]) throws(Termination) in
            var elements = DataElements()
            elements.append(.signedDynamicApplicationData, value)
            return elements
        }
        guard let signed = answer[.signedDynamicApplicationData] else {
            throw .missingData(.signedDynamicApplicationData)
        }
        if authentication.assumed != nil { return nil }
        guard case .rsa(let key) = authentication.cardKey else { throw .missingData(.signedDynamicApplicationData) }
        do throws(CertificateError) {
            data.terminal[.iccDynamicNumber] = try SignedDynamicApplicationData.verifyDDA(
                signed, key: key, terminalDynamicData: dynamicData)
            return nil
        } catch {
            return .signature(error)
        }
    }
}
