public import PaymentTerminal

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
    /// Of the bench host: a request that breaks a rule for which no code is published.
    case invalidRequest = "CP_INVALID_REQUEST"

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
            case .failed: (.system, error.message)
            }
        self[.errorCode] = code?.rawValue
        self[.errorString] = words
    }

    /// The host's error in an error message; nil for any other message.
    public var hostError: HostError? {
        guard form.name == XMLForm.error.name else { return nil }
        let words = self[.errorString] ?? ""
        if words.lowercased().hasPrefix(GatewayErrorCode.orderAlreadyProcessed.lowercased()) {
            return HostError(.orderAlreadyProcessed, "Order Already Processed: choose another order id")
        }
        // Whatever the words are, only a known code says that nothing happened.
        guard let code = self[.errorCode], let known = GatewayErrorCode(rawValue: code) else {
            return HostError(
                .internalError, "the gateway's error has no known code (\(self[.errorCode] ?? "none"), \(words)): look up the order")
        }
        if known == .merchantReference, words == GatewayErrorCode.secureCardDeleted {
            return HostError(.secureCardDeleted, "the secure card was deleted: register the card again")
        }
        return HostError(known.hostCode, "the gateway refused the request: \(code) \(words)")
    }
}
