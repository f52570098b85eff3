import CardCapture
private import EMVKernel

/// Why a payment that the issuer referred is declined.
enum ReferralFailure: Error {
    /// The terminal does not ask (``Terminal/Configuration/callsIssuer``).
    case notCalled
    /// The host's interface has no place for the approval code: an approval on the telephone would not be charged.
    case notCarried
    /// The attendant declined, the operation was cancelled, or the time was over.
    case noApprovalCode
    /// The host did not book the code, and has not authorized anything.
    case notBooked(HostError)

    /// In words for the operator; nil leaves it to the host's own.
    var summary: String? {
        switch self {
        case .notCalled: nil
        case .notCarried:
            "the host's interface does not carry: \(PaymentField.referralApproval). Take another payment"
        case .noApprovalCode: "the issuer wants a call, and no approval code was given"
        case .notBooked(let error): "the approval code was not booked: \(error.message)"
        }
    }
}

/// A call to the issuer where its answer wants one (EMV 4.4 Book 4, 6.5.2.2).
extension Terminal {
    /// Asks the attendant for the approval code of a call.
    ///
    /// A host that cannot book the code would not charge what the attendant was told is approved: then nobody is asked.
    func approvalCode(for entry: JournalEntry, _ referral: AuthorizationResponse) async throws(ReferralFailure) -> String {
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

    /// Has the host book the approval code. If no answer comes, the host is asked for the order.
    ///
    /// - Throws: An error that ``HostError/leavesOutcomeUnknown`` if it is not known whether the host has booked it: a referral that the host
    ///   still shows may be overtaken by the code on its way.
    func bookReferral(_ entry: JournalEntry, _ approvalCode: String) async throws(HostError) -> AuthorizationResponse {
        announce(.progress(.askingHost))
        let orderID = entry.orderID
        let answer: AuthorizationResponse
        do throws(HostError) {
            answer = try await asking(nil) { host throws(HostError) in
                try await host.approveReferral(of: orderID, approvalCode: approvalCode)
            }
        } catch {
            guard error.leavesOutcomeUnknown, case .decided(let found) = await inquire(entry),
                configuration.responseCodes.approves(found.issuer.responseCode)
            else { throw error }
            answer = found
        }
        try answer.check(against: entry.amount)
        return answer
    }
}
