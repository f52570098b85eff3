/// The result of an operation: the states of the checkout's SDK (`ICOpeartionStatus`), by name.
///
/// The raw values are the SDK's names, as it spells them. The numbers behind them are not
/// published; ``init(_:)`` has the codes of the gateway's interface.
public enum OperationStatus: String, Sendable, Hashable, Codable, CaseIterable {
    case completed = "completedSuccessfull"
    case technicalIssue
    case invalidRequest
    case rejectedByGatewayRiskAssessment = "rejectedByPaymentGatewayRiskAssesment"
    case rejectedByIssuer
    case insufficientFunds = "statusInsufficientFunds"
    case rejectedByIssuerRiskAssessment = "rejectedByIssuerRiskAssesment"
    case invalidCard
    case invalidAmount
    case failed3DS
    case threeDSInputTimedOut = "threeDSUserInputTimerOut"
    case noCustomerInput = "noCustomerInputOr3DSResponse"
    case cancelledByCustomer = "cancelledByTheCustomerNo3DSResponse"
    case reversed
    case internalError
    case notFound

    /// What a person is told to do, as the vendor's sample does it.
    public enum Advice: Sendable, Hashable {
        case none
        case contactIssuer
        case tryAgain
        case contactMerchant
        /// The authentication has failed: the sample has a text of its own.
        case authenticationFailed
        /// The customer has cancelled: the sample has a text of its own.
        case cancelled
    }

    public var advice: Advice {
        switch self {
        case .completed: .none
        case .rejectedByIssuer, .rejectedByIssuerRiskAssessment, .insufficientFunds, .invalidAmount: .contactIssuer
        case .threeDSInputTimedOut, .noCustomerInput: .tryAgain
        case .failed3DS: .authenticationFailed
        case .cancelledByCustomer: .cancelled
        case .technicalIssue, .invalidRequest, .rejectedByGatewayRiskAssessment, .invalidCard, .reversed,
            .internalError, .notFound:
            .contactMerchant
        }
    }
}

/// A code of the gateway (`status`, `Operation.Code`): 0 is good.
public struct IPGResultCode: RawRepresentable, Sendable, Hashable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    public static let good = IPGResultCode(rawValue: 0)

    /// Whether the operation has not ended yet: the customer is asked (4001), or a capture, a
    /// reversal or a status is waited for (5001 to 5003, 9010).
    public var isPending: Bool { [4001, 5001, 5002, 5003, 9010].contains(rawValue) }
}

extension OperationStatus {
    /// The state that a code of API 4.x stands for; nil for a pending one.
    ///
    /// Codes and states are the gateway's, which of them belong together is this project's reading
    /// of their meanings. What it does not know is ``technicalIssue``.
    public init?(_ code: IPGResultCode) {
        guard !code.isPending else { return nil }
        self =
            switch code.rawValue {
            case 0: .completed
            case 1013, 1061, 9011: .invalidAmount
            case 1014, 1015, 1041, 1043, 1054, 9014...9016, 9022, 9055, 9056: .invalidCard
            case 1051: .insufficientFunds
            case 1059, 1063, 1083: .rejectedByIssuerRiskAssessment
            case 1001...1096, 1900...1906: .rejectedByIssuer
            case 3014: .threeDSInputTimedOut
            case 3001...3026, 3996...3999: .failed3DS
            case 3100: .noCustomerInput
            case 4002: .cancelledByCustomer
            case 9003: .internalError
            case 9009: .notFound
            case 9012: .rejectedByIssuer
            case 9007, 9023: .rejectedByGatewayRiskAssessment
            case 9024: .reversed
            case 9001, 9002, 9004...9006, 9019...9021, 9025...9054, 9057...9059: .invalidRequest
            default: .technicalIssue
            }
    }
}
