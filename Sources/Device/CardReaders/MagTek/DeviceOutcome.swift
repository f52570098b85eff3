import CardCapture
import EMVKernel
import TLV

/// How a transaction ended on a MagTek device with a kernel of its own.
package enum DeviceOutcome: Sendable, Equatable {
    /// Why the card failed. After the first two the stripe may be tried.
    package enum Cause: Sendable {
        case technical
        case emptyCandidateList
        /// The card, or the transaction, is not for the field.
        case otherInterface
    }

    case approved(signature: Bool)
    case approvedOffline(signature: Bool)
    case declined
    case declinedOffline
    /// The issuer's answer decides; the card was released before it.
    case deferred(signature: Bool)
    case timedOut
    case cancelledByHost
    case cancelledByUser
    case failed(Cause?)

    /// The outcome of a card in the field: a failure never leads to the stripe, since the card has
    /// a chip, which can be inserted.
    var ofTap: Self {
        switch self {
        case .failed(.emptyCandidateList?): .failed(.otherInterface)
        case .failed(.technical?): .failed(nil)
        default: self
        }
    }

    /// The outcome for the terminal.
    ///
    /// - Parameters:
    ///   - card: Nil if the device returned none.
    ///   - answer: The answer that the device received; nil if it did not ask.
    func captureOutcome(_ card: CapturedCard?, _ answer: IssuerAnswer?, _ request: CaptureRequest) throws(CaptureError)
        -> CaptureOutcome
    {
        let isApproved = answer?.isApproving(request.responseCodes) ?? false
        let wasAnswered = if case .answered = answer { true } else { false }
        switch self {
        case .approved(let signature):
            // An approval by the device is ignored if the issuer declined.
            guard wasAnswered else {
                return CaptureOutcome(decision: .approvedOffline, card: card, requiresSignature: signature)
            }
            return CaptureOutcome(
                decision: isApproved ? .approvedOnline : .declinedOnline, card: card,
                requiresSignature: signature && isApproved)
        case .approvedOffline(let signature):
            return CaptureOutcome(decision: .approvedOffline, card: card, requiresSignature: signature)
        case .deferred(let signature):
            return CaptureOutcome(
                decision: isApproved ? .approvedOnline : wasAnswered ? .declinedOnline : .declinedOffline, card: card,
                requiresSignature: signature && isApproved)
        case .declined, .declinedOffline:
            return CaptureOutcome(
                decision: wasAnswered ? .declinedOnline : .declinedOffline, card: card, requiresReversal: isApproved)
        case .timedOut where answer == nil: throw .noCardPresented
        case .cancelledByHost, .cancelledByUser: throw .cancelled
        case .timedOut: return CaptureOutcome(notPossible: .cardTimedOut, card, isApproved)
        case .failed(.technical?):
            return CaptureOutcome(
                notPossible: .chipNotReadable, card, isApproved,
                Fallback(.technical, entryMode: .stripeAfterChip))
        case .failed(.emptyCandidateList?):
            return CaptureOutcome(
                notPossible: .kernel(.emptyCandidateList), card, isApproved,
                Fallback(.emptyCandidateList, entryMode: .magneticStripe))
        case .failed(.otherInterface?): return CaptureOutcome(notPossible: .tapNotPossible, card, isApproved)
        case .failed(nil):
            return CaptureOutcome(notPossible: .cardNotReadable, card, isApproved)
        }
    }
}

extension CaptureOutcome {
    fileprivate init(
        notPossible obstacle: Obstacle, _ card: CapturedCard?, _ isApproved: Bool, _ fallback: Fallback? = nil
    ) {
        self.init(decision: .notPossible(obstacle), card: card, requiresReversal: isApproved, fallback: fallback)
    }
}

extension IssuerAnswer {
    /// `8A`, `91` and scripts. Without an answer, the device receives `Z3`: unable to go online,
    /// declined (EMV 4.4 Book 4, annex A6).
    var magTekObjects: [UInt8] {
        var builder = TLVBuilder()
        switch self {
        case .unreachable:
            builder.append(0x8A, Array("Z3".utf8))
            return builder.bytes
        case .answered(let answer):
            builder.append(0x8A, Array(answer.responseCode.utf8))
            if let data = answer.issuerAuthenticationData { builder.append(0x91, data) }
            return builder.bytes + answer.scripts.joined()
        }
    }
}
