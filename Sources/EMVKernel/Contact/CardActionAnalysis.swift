import CardCryptography
import SmartCard
import TLV

/// GENERATE AC and what the card answers to it (EMV 4.4 Book 3, 6.5.5 and 10.8; CDA: Book 2, 6.6).
extension ContactTransaction {
    /// GENERATE AC for `requested` with the values of `list`, its answer parsed, checked and kept.
    ///
    /// - Returns: The type of the card's cryptogram. A failed CDA has set its bit in the TVR and leaves the type as it is.
    mutating func generateAC(
        _ requested: CryptogramType, list tag: Tag, application: ApplicationConfiguration
    ) async throws(Termination) -> CryptogramType {
        guard let list = try list(tag) else { throw .missingData(tag) }
        if list.contains(.tcHashValue) { try hashTransactionCertificateData(application) }
        // CDA is asked for with TC and ARQC only: an AAC is never signed (Book 2, 6.6).
        let signs = authentication.wantsCombinedSignature && requested != .aac
        let values = concatenate(list)
        hasAskedForCryptogram = true
        let response = try await send(.generateAC(requested.rawValue | (signs ? 0x10 : 0), values))
        guard response.status == .success else { throw .commandFailed(.generateAC, response.status) }
        sentData += values

        let answer = try ResponseTemplate.parse(response.data, of: .generateAC) { (value: [UInt8]) throws(Termination) in
            guard value.count >= 11 else { throw .malformedAnswer(.generateAC, nil) }
            var elements = DataElements()
            elements.append(.cryptogramInformationData, value[..<1])
            elements.append(.applicationTransactionCounter, value[1..<3])
            elements.append(.applicationCryptogram, value[3..<11])
            if value.count > 11 { elements.append(.issuerApplicationData, value[11...]) }
            return elements
        }
        guard let cid = answer[.cryptogramInformationData] else { throw .missingData(.cryptogramInformationData) }
        guard cid.count == 1 else { throw .invalidData(.cryptogramInformationData) }
        guard let counter = answer[.applicationTransactionCounter] else { throw .missingData(.applicationTransactionCounter) }
        guard counter.count == 2 else { throw .invalidData(.applicationTransactionCounter) }
        let information = CryptogramInformationData(rawValue: cid[0])
        // A lesser cryptogram may come than was asked for, but the second command is never answered with an ARQC (Book 3, 9.3 and 10.11).
        guard let answered = information.type, answered <= requested, tag == .cdol1 || answered != .arqc else {
            throw .unexpectedCryptogram(requested: requested, answered: cid[0])
        }
        tsi.insert(.cardRiskManagement)
        for tag in answer.tags { data.card[tag] = answer[tag] }
        if information.adviceRequired { adviceWanted = true }
        observe?(.cryptogram(requested: requested, answered: information))

        if signs && answered != .aac {
            verifyCombinedSignature(answer, response.data)
        } else if answer[.applicationCryptogram]?.count != 8 {
            throw answer.contains(.applicationCryptogram) ? .invalidData(.applicationCryptogram) : .missingData(.applicationCryptogram)
        }
        return answered
    }

    /// EMV 4.4 Book 2, 6.6.2: the signature yields the cryptogram; if it is wrong CDA failed.
    private mutating func verifyCombinedSignature(_ answer: DataElements, _ response: [UInt8]) {
        guard let signed = answer[.signedDynamicApplicationData], let key = authentication.iccKey else {
            return failCombinedSignature(.unsignedCryptogram)
        }
        do throws(CertificateError) {
            let combined = try SignedDynamicApplicationData.recoverCDA(
                signed, key: key, unpredictableNumber: data.terminal[.unpredictableNumber] ?? [])
            guard combined.cryptogramInformationData == answer[.cryptogramInformationData]?.first else {
                throw .cryptogramInformationData
            }
            try combined.verifyTransactionData(sentData + CombinedSignature.signedPart(of: response))
            data.card[.applicationCryptogram] = combined.applicationCryptogram
            data.terminal[.iccDynamicNumber] = combined.iccDynamicNumber
            observe?(.combinedSignature(nil))
        } catch {
            failCombinedSignature(.signature(error))
        }
    }

    private mutating func failCombinedSignature(_ failure: DataAuthenticationFailure) {
        authentication.combinedSignatureFailed = true
        tvr.insert(.cdaFailed)
        observe?(.combinedSignature(failure))
    }

    /// EMV 4.4 Book 3, 9.2.2: SHA-1 over the values of the TDOL, the card's or the default one.
    private mutating func hashTransactionCertificateData(_ application: ApplicationConfiguration) throws(Termination) {
        if let list = try list(.tdol) {
            data.terminal[.tcHashValue] = SHA1.hash(concatenate(list))
        } else {
            tvr.insert(.defaultTDOLUsed)
            let list = (try? DOL(parsing: application.defaultTDOL)) ?? DOL(entries: [])
            data.terminal[.tcHashValue] = SHA1.hash(concatenate(list))
        }
    }
}
