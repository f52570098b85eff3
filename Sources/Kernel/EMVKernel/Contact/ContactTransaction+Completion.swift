import SmartCard
import TLV

/// From the first cryptogram to the end (EMV 4.4 Book 3, 10.9 to 10.11; Book 4, 6.3.2, 6.3.8 and
/// 12.2).
extension ContactTransaction {
    /// - Parameter answered: The card's cryptogram type at the first GENERATE AC.
    mutating func complete(
        _ answered: CryptogramType, _ application: ApplicationConfiguration
    ) async throws(Termination) -> Outcome.Decision {
        if answered != .aac, authentication.failure != nil, let signature = authentication.signature {
            switch signature {
            case .cda: return try await completeWithoutCDA(answered, application)
            case .xda: return try await completeWithoutXDA(answered, application)
            }
        }
        switch answered {
        case .aac: return .declined(.offline)
        case .tc: return .approved(.offline)
        case .arqc where configuration.type.isOfflineOnly: return try await completeUnableToGoOnline(application)
        case .arqc:
            guard let response = await goOnline() else { return try await completeUnableToGoOnline(application) }
            return try await completeOnline(response, application)
        }
    }

    // MARK: A signature with the first cryptogram is wrong (Book 4, 6.3.2)

    /// 6.3.2.1: a TC is a decline, an ARQC never goes online.
    private mutating func completeWithoutCDA(
        _ answered: CryptogramType, _ application: ApplicationConfiguration
    ) async throws(Termination) -> Outcome.Decision {
        data.terminal[.authorisationResponseCode] = TerminalResponseCode.offlineDeclined
        if answered == .arqc { _ = try await generateAC(.aac, .second, application: application) }
        return .declined(.offline)
    }

    /// 6.3.2.2.4: unless the denial codes decline it, the issuer decides, even after a TC.
    private mutating func completeWithoutXDA(
        _ answered: CryptogramType, _ application: ApplicationConfiguration
    ) async throws(Termination) -> Outcome.Decision {
        if let denial = ActionAnalysis.denial(tvr, terminal: application.actionCodes, issuer: issuerActionCodes) {
            observe?(.actionAnalysis(denial))
            data.terminal[.authorisationResponseCode] = TerminalResponseCode.offlineDeclined
            if answered == .arqc { _ = try await generateAC(.aac, .second, application: application) }
            return .declined(.offline)
        }
        let response = configuration.type.isOfflineOnly ? nil : await goOnline()
        guard let response else {
            data.terminal[.authorisationResponseCode] = TerminalResponseCode.unableToGoOnlineDeclined
            if answered == .arqc { _ = try await generateAC(.aac, .second, application: application) }
            return .declined(.unableToGoOnline)
        }
        guard answered == .tc else { return try await completeOnline(response, application) }
        take(response)
        await resolveReferral(response)
        return issuerApproved ? .approved(.online) : .declined(.online)
    }

    // MARK: The issuer (Book 3, 10.9; Book 4, 12.2)

    /// Asks the issuer; nil if it cannot be reached or its answer is not valid.
    private mutating func goOnline() async -> IssuerResponse? {
        data.terminal[.authorisationResponseCode] = nil
        switch await issuer.authorize(OnlineRequest(data: dataWithResults(), pin: onlinePIN)) {
        case .answered(let response) where response.responseCode.count == 2:
            self.response = response
            observe?(.wentOnline(responseCode: ValueDescription.printable(response.responseCode)))
            return response
        case .answered, .noAnswer: requestMayHaveArrived = true
        case .unableToGoOnline: break
        }
        observe?(.wentOnline(responseCode: nil))
        return nil
    }

    private mutating func completeOnline(
        _ response: IssuerResponse, _ application: ApplicationConfiguration
    ) async throws(Termination) -> Outcome.Decision {
        take(response)
        try await authenticateIssuer(response)
        await processScripts(beforeFinalCryptogram: true)
        await resolveReferral(response)
        let final = try await generateAC(issuerApproved ? .tc : .aac, .second, application: application)
        await processScripts(beforeFinalCryptogram: false)
        return final == .tc && !authentication.finalSignatureFailed ? .approved(.online) : .declined(.online)
    }

    private mutating func take(_ response: IssuerResponse) {
        data.terminal[.authorisationResponseCode] = response.responseCode
        data.terminal[.authorisationCode] = response.approvalCode
        data.terminal[.issuerAuthenticationData] = response.authenticationData
        issuerApproved = configuration.responseCodes.approves(String(decoding: response.responseCode, as: UTF8.self))
    }

    var isReferral: Bool {
        guard let response else { return false }
        return configuration.responseCodes.referral.contains(String(decoding: response.responseCode, as: UTF8.self))
    }

    /// 6.5.2.2: the issuer's response code is kept after a referral with any result.
    private mutating func resolveReferral(_ response: IssuerResponse) async {
        guard isReferral, configuration.type.isAttended else { return }
        let answer = await issuer.resolveReferral(response, OnlineRequest(data: dataWithResults(), pin: onlinePIN))
        guard case .approved(let code) = answer else { return }
        issuerApproved = true
        if let code { data.terminal[.authorisationCode] = code }
    }

    /// EXTERNAL AUTHENTICATE, if the card supports it; other cards receive tag 91 through CDOL2
    /// (Book 3, 10.9). An empty tag 91 counts as absent (Book 4, 12.2.2).
    private mutating func authenticateIssuer(_ response: IssuerResponse) async throws(Termination) {
        guard let cryptogram = response.authenticationData, !cryptogram.isEmpty,
            profile.contains(.issuerAuthenticationSupported)
        else {
            return
        }
        var succeeded = false
        // A tag 91 outside 8 to 16 bytes cannot be sent (Book 3, table 9); it counts as failed
        // authentication.
        if (8...16).contains(cryptogram.count) {
            succeeded = try await send(.externalAuthenticate(cryptogram)).status == .success
            tsi.insert(.issuerAuthentication)
        }
        if !succeeded { tvr.insert(.issuerAuthenticationFailed) }
        observe?(.issuerAuthentication(succeeded: succeeded))
    }

    // MARK: The issuer could not be reached (Book 4, 12.2.1)

    private mutating func completeUnableToGoOnline(_ application: ApplicationConfiguration) async throws(Termination)
        -> Outcome.Decision
    {
        let analysis = analyzeWithoutIssuer(application)
        data.terminal[.authorisationResponseCode] =
            analysis.request == .tc
            ? TerminalResponseCode.unableToGoOnlineApproved : TerminalResponseCode.unableToGoOnlineDeclined
        let final = try await generateAC(analysis.request, .second, application: application)
        return final == .tc && !authentication.finalSignatureFailed
            ? .approved(.unableToGoOnline) : .declined(.unableToGoOnline)
    }
}
