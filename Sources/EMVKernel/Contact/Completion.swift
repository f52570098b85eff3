import SmartCard
import TLV

/// From the first cryptogram to the end (EMV 4.4 Book 3, 10.9 to 10.11; Book 4, 6.3.8).
extension ContactTransaction {
    /// - Parameters:
    ///   - requested: What the first GENERATE AC asked for.
    ///   - answered: What the card gave.
    mutating func complete(
        _ requested: CryptogramType, _ answered: CryptogramType, application: ApplicationConfiguration
    ) async throws(Termination) -> Outcome.Decision {
        switch answered {
        case .aac:
            data.terminal[.authorisationResponseCode] = TerminalResponseCode.offlineDeclined
            return .declined(.offline)
        case .tc:
            // Book 2, 6.6.2: a TC whose signature is wrong is a decline.
            let approved = !authentication.combinedSignatureFailed
            data.terminal[.authorisationResponseCode] =
                approved ? TerminalResponseCode.offlineApproved : TerminalResponseCode.offlineDeclined
            return approved ? .approved(.offline) : .declined(.offline)
        case .arqc where authentication.combinedSignatureFailed:
            // Book 2, 6.6.2: an ARQC whose signature is wrong never goes online; the card is asked for an AAC.
            data.terminal[.authorisationResponseCode] = TerminalResponseCode.offlineDeclined
            _ = try await generateAC(.aac, list: .cdol2, application: application)
            return .declined(.offline)
        case .arqc:
            switch await issuer.authorize(OnlineRequest(data: dataWithResults(), pin: onlinePIN)) {
            case .answered(let response): return try await completeOnline(response, application: application)
            case .unableToGoOnline: return try await completeUnableToGoOnline(application)
            }
        }
    }

    // MARK: The issuer answered (Book 3, 10.9)

    private mutating func completeOnline(
        _ response: IssuerResponse, application: ApplicationConfiguration
    ) async throws(Termination) -> Outcome.Decision {
        self.response = response
        observe?(.wentOnline(responseCode: ValueDescription.printable(response.responseCode)))
        data.terminal[.authorisationResponseCode] = response.responseCode
        data.terminal[.authorisationCode] = response.authorisationCode
        data.terminal[.issuerAuthenticationData] = response.authenticationData
        try await authenticateIssuer(response)
        await processScripts(beforeFinalCryptogram: true)
        let final = try await generateAC(response.approves ? .tc : .aac, list: .cdol2, application: application)
        await processScripts(beforeFinalCryptogram: false)
        return final == .tc && !authentication.combinedSignatureFailed ? .approved(.online) : .declined(.online)
    }

    /// EXTERNAL AUTHENTICATE, if the card supports it; a card that does not takes tag 91 from CDOL2 (Book 3, 10.9).
    private mutating func authenticateIssuer(_ response: IssuerResponse) async throws(Termination) {
        guard let cryptogram = response.authenticationData, profile.contains(.issuerAuthenticationSupported) else { return }
        tsi.insert(.issuerAuthentication)
        // A tag 91 outside 8 to 16 bytes cannot be sent; it counts as failed authentication (Book 4, 12.2.1).
        let succeeded = (8...16).contains(cryptogram.count) ? try await send(.externalAuthenticate(cryptogram)).status == .success : false
        if !succeeded { tvr.insert(.issuerAuthenticationFailed) }
        observe?(.issuerAuthentication(succeeded: succeeded))
    }

    // MARK: The issuer could not be reached (Book 4, 6.3.8)

    private mutating func completeUnableToGoOnline(_ application: ApplicationConfiguration) async throws(Termination) -> Outcome.Decision {
        observe?(.wentOnline(responseCode: nil))
        let analysis = analyseTerminalActions(application, canGoOnline: false)
        data.terminal[.authorisationResponseCode] =
            analysis.request == .tc ? TerminalResponseCode.unableToGoOnlineApproved : TerminalResponseCode.unableToGoOnlineDeclined
        let final = try await generateAC(analysis.request, list: .cdol2, application: application)
        if final == .tc && !authentication.combinedSignatureFailed { return .approved(.unableToGoOnline) }
        data.terminal[.authorisationResponseCode] = TerminalResponseCode.unableToGoOnlineDeclined
        return .declined(.unableToGoOnline)
    }
}
