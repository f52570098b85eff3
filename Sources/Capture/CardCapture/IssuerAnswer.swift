private import Bytes
package import EMVKernel

/// The part of the host's answer that concerns the card.
public enum IssuerAnswer: Sendable {
    /// The issuer decided: the response code says whether it approved.
    case answered(Answer)
    /// The host could not be asked, or its answer is unknown.
    case unreachable

    /// The data elements of the host's answer that go to the card.
    public struct Answer: Sendable, Equatable, Codable {
        /// Tag `8A`, two characters; ``CaptureRequest/responseCodes`` decides which approve.
        public var responseCode: String { didSet { responseCode = responseCode.onOneLine(atMost: 8) } }
        /// Tag `91`, 8 to 16 bytes: the ARPC and the issuer's data with it.
        public var issuerAuthenticationData: [UInt8]?
        /// The complete templates `71` and `72`, in the order received.
        public var scripts: [[UInt8]]
        /// Tag `89`: up to six letters and digits (ISO 8583:1987, field 38). A text of another form
        /// is no such code: it is nil.
        public var approvalCode: String? { didSet { approvalCode = Self.approvalCode(approvalCode) } }

        private enum CodingKeys: String, CodingKey {
            case responseCode, issuerAuthenticationData, scripts
            case approvalCode = "authorisationCode"
        }

        /// An answer for the card; by default without issuer
        /// authentication, scripts and approval code.
        public init(
            responseCode: String, issuerAuthenticationData: [UInt8]? = nil, scripts: [[UInt8]] = [],
            approvalCode: String? = nil
        ) {
            self.responseCode = responseCode.onOneLine(atMost: 8)
            self.issuerAuthenticationData = issuerAuthenticationData
            self.scripts = scripts
            self.approvalCode = Self.approvalCode(approvalCode)
        }

        /// `text` without blanks around it, if it is an approval code.
        package static func approvalCode(_ text: String?) -> String? {
            guard let words = text?.split(separator: " "), words.count == 1, let code = words.first else { return nil }
            let isCode = code.utf8.count <= 6 && code.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
            return isCode ? String(code) : nil
        }
    }

    package func isApproving(_ codes: ResponseCodes) -> Bool {
        guard case .answered(let answer) = self else { return false }
        return codes.approves(answer.responseCode)
    }
}

extension CaptureOutcome {
    /// The outcome of the issuer's answer, for a card that cannot decide itself.
    package static func decided(
        _ card: CapturedCard, _ request: CaptureRequest, _ authorize: @Sendable (CapturedCard) async -> IssuerAnswer
    ) async -> CaptureOutcome {
        switch await request.resolved(authorize(card)) {
        // If the terminal takes the payment offline, the cardholder signs for it as for any other
        // payment, unless a PIN was entered.
        case .unreachable:
            return CaptureOutcome(decision: .declinedOffline, card: card, requiresSignature: card.pin == nil)
        case .answered(let answer):
            let isApproved = request.responseCodes.approves(answer.responseCode)
            return CaptureOutcome(
                decision: isApproved ? .approvedOnline : .declinedOnline, card: card,
                requiresSignature: isApproved && card.pin == nil)
        }
    }
}
