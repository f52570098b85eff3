import CardCryptography
import SmartCard
import TLV

/// Offline data authentication (EMV 4.4 Book 3, 10.3; Book 2, 5 and 6).
extension ContactTransaction {
    var profile: ApplicationInterchangeProfile {
        data.card[.applicationInterchangeProfile].flatMap(ApplicationInterchangeProfile.init) ?? []
    }

    mutating func authenticateDataOffline(_ application: ApplicationConfiguration) async throws(Termination) {
        authentication.method = DataAuthenticationMethod.choose(profile, configuration.capabilities)
        guard let method = authentication.method else {
            tvr.insert(.offlineDataAuthenticationNotPerformed)
            observe?(.dataAuthentication(nil, nil))
            return
        }
        if method == .sda { tvr.insert(.sdaSelected) }
        tsi.insert(.offlineDataAuthentication)
        var failure = recoverKeys(for: method, application)
        if failure == nil, method == .dda { failure = try await verifyDynamicSignature(application) }
        if let failure {
            failDataAuthentication(method, failure)
        } else {
            authentication.wantsCombinedSignature = method == .cda
            observe?(.dataAuthentication(method, nil))
        }
    }

    func certificateChain(_ application: ApplicationConfiguration) -> CertificateChain {
        CertificateChain(
            card: data.card, rid: application.rid, caKeys: configuration.caKeys, revoked: configuration.revokedCertificates,
            date: request.date)
    }

    mutating func failDataAuthentication(_ method: DataAuthenticationMethod, _ failure: DataAuthenticationFailure) {
        tvr.insert(method.failureBit)
        if case .missingData = failure { tvr.insert(.iccDataMissing) }
        authentication.wantsCombinedSignature = false
        observe?(.dataAuthentication(method, failure))
    }

    /// What can be checked without the card's help: the certificates as far as `method` needs them, and the signature of SDA.
    private mutating func recoverKeys(
        for method: DataAuthenticationMethod, _ application: ApplicationConfiguration
    ) -> DataAuthenticationFailure? {
        do throws(DataAuthenticationFailure) {
            let chain = certificateChain(application)
            let issuer = try chain.issuerKey()
            data.terminal[.caPublicKeyIndexTerminal] = data.card[.caPublicKeyIndexCard]
            let staticData = try authentication.staticData.complete(data.card)
            if method == .sda {
                try verifyStaticSignature(issuer.key, staticData)
            } else {
                authentication.iccKey = try chain.iccKey(issuer, staticData: staticData).key
            }
            return nil
        } catch {
            return error
        }
    }

    /// EMV 4.4 Book 2, 5.4.
    private mutating func verifyStaticSignature(_ issuer: RSAPublicKey, _ staticData: [UInt8]) throws(DataAuthenticationFailure) {
        guard let signed = data.card[.signedStaticApplicationData] else { throw .missingData(.signedStaticApplicationData) }
        do throws(CertificateError) {
            data.terminal[.dataAuthenticationCode] = try SignedStaticApplicationData.verify(signed, issuer: issuer, staticData: staticData)
        } catch {
            throw .signature(error)
        }
    }

    /// EMV 4.4 Book 2, 6.5.
    private mutating func verifyDynamicSignature(
        _ application: ApplicationConfiguration
    ) async throws(Termination) -> DataAuthenticationFailure? {
        guard let list = try? DOL(parsing: data.card[.ddol] ?? application.defaultDDOL), list.contains(.unpredictableNumber) else {
            return .ddolWithoutUnpredictableNumber
        }
        let dynamicData = concatenate(list)
        let response = try await send(.internalAuthenticate(dynamicData))
        guard response.status == .success, let key = authentication.iccKey else { return .noSignature }
        let answer = try? ResponseTemplate.parse(response.data, of: .internalAuthenticate) { (value: [UInt8]) throws(Termination) in
            var elements = DataElements()
            elements.append(.signedDynamicApplicationData, value)
            return elements
        }
        guard let signed = answer?[.signedDynamicApplicationData] else { return .noSignature }
        do throws(CertificateError) {
            data.terminal[.iccDynamicNumber] = try SignedDynamicApplicationData.verifyDDA(
                signed, key: key, terminalDynamicData: dynamicData)
            return nil
        } catch {
            return .signature(error)
        }
    }
}
