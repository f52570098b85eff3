import CardCryptography
import SmartCard
import TLV

/// GENERATE AC and its answer (EMV 4.4 Book 3, 6.5.5, 9.3 and 10.8; CDA: Book 2, 6.6; XDA: 12.5).
extension ContactTransaction {
    /// The first or the second GENERATE AC.
    enum CryptogramRound {
        case first, second

        var list: Tag { self == .first ? .cdol1 : .cdol2 }
        var use: CardListUse { self == .first ? .firstCryptogram : .secondCryptogram }
    }

    /// Sends GENERATE AC for `requested`; parses, checks and stores the answer.
    ///
    /// - Returns: The type of the card's cryptogram. A failed CDA or XDA sets its bit in the TVR
    ///   and does not change the type.
    mutating func generateAC(
        _ requested: CryptogramType, _ round: CryptogramRound, application: ApplicationConfiguration
    ) async throws(Termination) -> CryptogramType {
        guard let list = try list(round.list) else { throw .missingData(round.list) }
        take(environment.values(for: round.use))
        if list.contains(.tcHashValue) { try hashTransactionCertificateData(application) }
        // CDA is requested only with TC and ARQC (Book 2, 6.6), XDA always (12.5.1).
        let signature = authentication.signature == .cda && requested == .aac ? nil : authentication.signature
        let values = concatenate(list)
        hasAskedForCryptogram = true
        let response = try await send(.generateAC(requested.rawValue | (signature?.rawValue ?? 0), values))
        guard response.status == .success else { throw .commandFailed(.generateAC, response.status) }
        sentData = (round == .second && signature == .xda ? [] : sentData) + values

        let answer = try parseCryptogramAnswer(response.data)
        for tag in CardDataObjects.inCryptogramAnswers { data.card.set(tag, from: answer) }
        var information = CryptogramInformationData(
            rawValue: UInt8(truncatingIfNeeded: answer.integer(.cryptogramInformationData) ?? 0))
        tsi.insert(.cardRiskManagement)
        // Data authentication is now complete: the deferred result of XDA goes to the TVR (Book 3,
        // 10.3; Book 4, 6.3.2.2.2).
        if round == .first && signature != nil { finishDataAuthentication() }
        switch signature {
        case .cda where information.type != .aac:
            guard answer.contains(.applicationCryptogram) || answer.contains(.signedDynamicApplicationData) else {
                throw .missingData(.applicationCryptogram)
            }
            // The CID in the signature is used, if one was recovered (Book 4, 6.3.2.1).
            if let signed = verifyCombinedSignature(answer, response.data, round) { information = signed }
        case .xda where authentication.failure == nil && information.type != .aac:
            verifyXDASignature(answer, response.data, round)
            fallthrough
        default:
            guard answer.count(of: .applicationCryptogram) == 8 else {
                throw answer.contains(.applicationCryptogram)
                    ? .invalidData(.applicationCryptogram) : .missingData(.applicationCryptogram)
            }
        }
        if information.adviceRequired { requiresAdvice = true }
        observe?(.cryptogram(requested: requested, answered: information))
        return try judge(information, requested, round)
    }

    /// The type of cryptogram that decides: the card may answer with a lower type than requested. A
    /// type that is not allowed ends the transaction at the first GENERATE AC, and counts as an AAC
    /// at the second (Book 3, 9.3).
    private mutating func judge(
        _ information: CryptogramInformationData, _ requested: CryptogramType, _ round: CryptogramRound
    ) throws(Termination) -> CryptogramType {
        let isPossible = information.type.map { $0 <= requested && (round == .first || $0 != .arqc) } ?? false
        guard isPossible || round == .second else {
            throw .unexpectedCryptogram(requested: requested, answered: information.rawValue)
        }
        let type = isPossible ? information.type ?? .aac : .aac
        cryptogram = type
        if type == .aac && information.reason == .serviceNotAllowed { throw .serviceNotAllowed }
        return type
    }

    /// The data objects of the answer, format 1 or 2, with valid CID and counter.
    private func parseCryptogramAnswer(_ response: [UInt8]) throws(Termination) -> DataElements {
        let answer = try ResponseTemplate.parse(response, of: .generateAC) { (value: [UInt8]) throws(Termination) in
            guard value.count >= 11 else { throw .malformedAnswer(.generateAC, nil) }
            var elements = DataElements()
            elements.append(.cryptogramInformationData, value[..<1])
            elements.append(.applicationTransactionCounter, value[1..<3])
            elements.append(.applicationCryptogram, value[3..<11])
            if value.count > 11 { elements.append(.issuerApplicationData, value[11...]) }
            return elements
        }
        for (tag, count) in [(Tag.cryptogramInformationData, 1), (.applicationTransactionCounter, 2)] {
            guard let found = answer.count(of: tag) else { throw .missingData(tag) }
            guard found == count else { throw .invalidData(tag) }
        }
        return answer
    }

    // MARK: Signatures

    /// EMV 4.4 Book 2, 6.6.2: the signature yields the cryptogram; if it is wrong CDA failed.
    ///
    /// - Returns: The cryptogram information data that the card signed, if they could be recovered.
    private mutating func verifyCombinedSignature(
        _ answer: DataElements, _ response: [UInt8], _ round: CryptogramRound
    ) -> CryptogramInformationData? {
        guard let signed = answer[.signedDynamicApplicationData] else {
            failSignature(.unsignedCryptogram, round)
            return nil
        }
        if let logged = authentication.assumed {
            if logged.failsWithCryptogram(round == .first) { failSignature(.unsignedCryptogram, round) }
            return nil
        }
        guard case .rsa(let key) = authentication.cardKey else {
            failSignature(.unsignedCryptogram, round)
            return nil
        }
        var recovered: CryptogramInformationData?
        do throws(CertificateError) {
            let combined = try SignedDynamicApplicationData.recoverCDA(
                signed, key: key, unpredictableNumber: data.terminal[.unpredictableNumber] ?? [])
            recovered = CryptogramInformationData(rawValue: combined.cryptogramInformationData)
            guard combined.cryptogramInformationData == answer[.cryptogramInformationData]?.first else {
                throw .cryptogramInformationData
            }
            try combined.verifyTransactionData(sentData + CombinedSignature.signedPart(of: response))
            data.card[.applicationCryptogram] = combined.applicationCryptogram
            data.terminal[.iccDynamicNumber] = combined.iccDynamicNumber
            observe?(.combinedSignature(nil))
        } catch {
            failSignature(.signature(error), round)
        }
        return recovered
    }

    /// EMV 4.4 Book 2, 12.5.3.
    private mutating func verifyXDASignature(_ answer: DataElements, _ response: [UInt8], _ round: CryptogramRound) {
        guard let signed = answer[.signedDynamicApplicationData] else {
            return failSignature(.unsignedCryptogram, round)
        }
        if let logged = authentication.assumed {
            if logged.failsWithCryptogram(round == .first) { failSignature(.unsignedCryptogram, round) }
            return
        }
        guard case .ellipticCurve(let key) = authentication.cardKey else {
            return failSignature(.unsignedCryptogram, round)
        }
        do throws(CertificateError) {
            try XDASignature.verify(
                signed, key: key, transactionData: sentData + CombinedSignature.signedPart(of: response))
            observe?(.combinedSignature(nil))
        } catch {
            failSignature(.signature(error), round)
        }
    }

    private mutating func failSignature(_ failure: DataAuthenticationFailure, _ round: CryptogramRound) {
        authentication.failure = failure
        authentication.finalSignatureFailed = round == .second
        tvr.insert(authentication.signature == .xda ? .xdaSignatureFailed : .cdaFailed)
        observe?(.combinedSignature(failure))
    }

    // MARK: TC hash

    /// EMV 4.4 Book 3, 9.2.2: SHA-1 over the values of the TDOL, the card's, the default one, or an
    /// empty one.
    private mutating func hashTransactionCertificateData(_ application: ApplicationConfiguration) throws(Termination) {
        if let list = try list(.tdol) {
            data.terminal[.tcHashValue] = SHA1.hash(concatenate(list))
        } else if let bytes = application.defaultTDOL {
            guard let list = try? DOL(parsing: bytes) else { throw .configuration(.defaultTDOL) }
            tvr.insert(.defaultTDOLUsed)
            data.terminal[.tcHashValue] = SHA1.hash(concatenate(list))
        } else {
            data.terminal[.tcHashValue] = SHA1.hash([])
        }
    }

    /// Whether the first GENERATE AC will need the default TDOL. The action codes may test the bit
    /// for it.
    func usesDefaultTDOL(_ application: ApplicationConfiguration) throws(Termination) -> Bool {
        guard application.defaultTDOL != nil, !data.card.contains(.tdol) else { return false }
        return try list(.cdol1)?.contains(.tcHashValue) ?? false
    }
}
