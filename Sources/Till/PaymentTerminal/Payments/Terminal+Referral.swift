import CardCapture
private import EMVKernel

/// Why a payment that the issuer referred is declined.
enum ReferralFailure: Error {
    /// The terminal does not ask (``Terminal/Configuration/callsIssuer``).
    case notCalled
    /// The host's interface does not support the approval code: an approval on the telephone would
    /// not be charged.
    case notCarried
    /// The attendant declined, the operation was cancelled, or the time limit has passed.
    case noApprovalCode
    /// The host did not book the code, and has not authorized anything.
    case notBooked(HostError)

    /// The text for the operator; nil for the host's text.
    var summary: String? {
        switch self {
        case .notCalled: nil
        case .notCarried:
            "the host's interface does not carry: \(PaymentField.referralApproval). Take another payment"
        case .noApprovalCode: "the issuer requires a call, and no approval code was given"
        case .notBooked(let error): "the approval code was not booked: \(error.message)"
        }
    }
}

/// A call to the issuer, if its answer requests one (EMV 4.4 Book 4, 6.5.2.2).
extension Terminal {
    /// Asks the attendant for the approval code of a call.
    ///
    /// If the host cannot book the code, the attendant is not asked: an approval would not be
    /// charged.
    func approvalCode(for entry: JournalEntry, _ referral: AuthorizationResponse) async throws(ReferralFailure)
        -> String
    {
        guard configuration.callsIssuer, running?.requestID == entry.requestID else { throw .notCalled }
        guard await hostCarries(.referralApproval) else { throw .notCarried }
        let request = ReferralRequest(card: entry.card, amount: entry.amount, message: referral.message)
        running?.referral = request
        announce(.progress(.waitingForReferral))
        announce(.referralRequired(request))
        let code = await answer(request.race, within: configuration.limits.referral, else: nil)
        if running?.referral?.race === request.race { running?.referral = nil }
        guard let code else { throw .noApprovalCode }
        return code
    }

    /// Makes the host book the approval code. If there is no answer, the host is asked for the
    /// order.
    ///
    /// - Throws: An error that ``HostError/leavesOutcomeUnknown`` if it is unknown whether the host
    ///   has booked it: even if the host still reports a referral, the code may arrive later.
    func bookReferral(_ entry: JournalEntry, _ approvalCode: String) async throws(HostError) -> AuthorizationResponse {
        announce(.progress(.askingHost))
        let orderID = entry.orderID
        let answer: AuthorizationResponse
        do throws(HostError) {
            answer = try await asking("approval code of \(orderID)") { host throws(HostError) in
                try await host.approveReferral(of: orderID, approvalCode: approvalCode)
            }
        } catch {
            guard error.leavesOutcomeUnknown else { throw error }
            announce(.progress(.inquiring))
            guard case .decided(let found) = try? await status(of: entry), found.isHeld(by: configuration.responseCodes)
            else {
                throw error
            }
            answer = found
        }
        try answer.check(against: entry.amount)
        return answer
    }
}
