import Bytes
public import PaymentTerminal
internal import XMLDocument

/// The published codes of the interface's errors, which come with HTTP status 200.
enum GatewayErrorCode: String {
    case system = "E01"
    case notAllowed = "E03"
    case invalidReference = "E04"
    case cardType = "E05"
    case terminal = "E06"
    case method = "E07"
    case merchantReference = "E08"
    case dateTime = "E09"
    case cardNumber = "E10"
    case cardExpiry = "E11"
    case cardholder = "E12"
    case hash = "E13"
    case cvvFailed = "E14"
    case tokenInSubscription = "E24"
    case alreadyExists = "E32"
    case encryption = "E33"
    case inappropriateCard = "E42"
    case approvedNotValidated = "E43"
    /// Of the bench host: the published codes have none for it.
    case invalidRequest = "CP_INVALID_REQUEST"
    /// Of the bench host, with status 429: it did not look at the request.
    case tooManyRequests = "CP_TOO_MANY_REQUESTS"

    /// What an order that was seen before is answered with; it has no code.
    static let orderAlreadyProcessed = "Order Already Processed"
    /// What a token that was deleted is answered with, to tell it from one that never was.
    static let secureCardDeleted = "SECURE CARD DELETED"

    var hostCode: HostError.Code {
        switch self {
        case .system: .failed(.internalError)
        case .notAllowed, .tokenInSubscription: .refused(.notAllowed)
        case .invalidReference: .refused(.transactionUnknown)
        case .terminal, .hash: .refused(.notAuthorized)
        case .method: .refused(.notSupported)
        case .merchantReference: .refused(.secureCardUnknown)
        case .dateTime, .invalidRequest: .refused(.invalidRequest)
        case .cardType, .cardNumber, .cardExpiry, .cardholder, .encryption, .inappropriateCard: .refused(.cardRefused)
        case .cvvFailed, .approvedNotValidated: .refused(.validationFailed)
        case .alreadyExists: .refused(.secureCardExists)
        case .tooManyRequests: .failed(.unreachable)
        }
    }
}

extension XMLMessage {
    /// The error as the interface tells it.
    public init(_ error: HostError) {
        self.init(.error)
        let (code, words): (GatewayErrorCode?, String) =
            switch error.code {
            case .refused(.orderAlreadyProcessed): (nil, GatewayErrorCode.orderAlreadyProcessed)
            case .refused(.transactionUnknown): (.invalidReference, error.message)
            case .refused(.notAllowed): (.notAllowed, error.message)
            case .refused(.secureCardExists): (.alreadyExists, error.message)
            case .refused(.secureCardUnknown): (.merchantReference, "INVALID MERCHANTREF")
            case .refused(.secureCardDeleted): (.merchantReference, GatewayErrorCode.secureCardDeleted)
            case .refused(.cardRefused): (.inappropriateCard, error.message)
            case .refused(.validationFailed): (.cvvFailed, error.message)
            case .refused(.invalidRequest): (.invalidRequest, error.message)
            case .refused(.notAuthorized): (.hash, "INVALID HASH")
            case .refused(.notSupported): (.method, error.message)
            case .failed(.unreachable): (.tooManyRequests, error.message)
            case .failed: (.system, error.message)
            }
        self[.errorCode] = code?.rawValue
        self[.errorString] = words
    }

    /// An error message in its form.
    public var document: [UInt8] { element(MessageHash(secret: SecretBytes([]))).document }

    /// The host's error in an error message; nil for any other message.
    ///
    /// - Parameter movesMoney: An error without a code, with a code that is not known, or with one
    ///   that speaks of an approval then says nothing about the request: what happened at the host
    ///   is not known. A gateway that has it from another system may have executed the request.
    public func hostError(movesMoney: Bool) -> HostError? {
        guard form.name == XMLForm.error.name else { return nil }
        let words = self[.errorString] ?? ""
        if words.lowercased().hasPrefix(GatewayErrorCode.orderAlreadyProcessed.lowercased()) {
            return HostError(.orderAlreadyProcessed, "Order Already Processed: choose another order id")
        }
        let code = self[.errorCode] ?? ""
        let known = GatewayErrorCode(rawValue: code)
        if movesMoney {
            switch known {
            case nil, .approvedNotValidated:
                return HostError(
                    .answerNotGenuine,
                    "the gateway's error is unknown: \(code) \(words): look up the order before you try again")
            case .system:
                return HostError(
                    .noAnswer, "the gateway failed: \(code) \(words): look up the order before you try again")
            default: break
            }
        }
        if code == GatewayErrorCode.merchantReference.rawValue, words == GatewayErrorCode.secureCardDeleted {
            return HostError(.secureCardDeleted, "the secure card was deleted: register the card again")
        }
        return HostError(
            known?.hostCode ?? .refused(.invalidRequest),
            "the gateway refused the request: \(code.isEmpty ? "" : code + " ")\(words)")
    }
}
