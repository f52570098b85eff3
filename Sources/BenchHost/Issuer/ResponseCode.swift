/// What the test issuer answers: authorisation response codes, tag `8A` (ISO 8583:1987, field 39; the last three as Visa uses them).
enum ResponseCode: String {
    case approved = "00"
    case doNotHonour = "05"
    case partiallyApproved = "10"
    case noSuchIssuer = "15"
    case insufficientFunds = "51"
    case expiredCard = "54"
    case incorrectPIN = "55"
    case exceedsLimit = "61"
    case securityViolation = "63"
    case pinCryptographicError = "81"
    case cryptographicFailure = "88"
    case cvvFailure = "N7"

    var approves: Bool { self == .approved || self == .partiallyApproved }

    var words: String {
        switch self {
        case .approved: "APPROVAL"
        case .doNotHonour: "DO NOT HONOUR"
        case .partiallyApproved: "PARTIAL APPROVAL"
        case .noSuchIssuer: "NO SUCH ISSUER"
        case .insufficientFunds: "INSUFFICIENT FUNDS"
        case .expiredCard: "EXPIRED CARD"
        case .incorrectPIN: "INCORRECT PIN"
        case .exceedsLimit: "EXCEEDS AMOUNT LIMIT"
        case .securityViolation: "SECURITY VIOLATION"
        case .pinCryptographicError: "PIN CRYPTOGRAPHIC ERROR"
        case .cryptographicFailure: "CRYPTOGRAPHIC FAILURE"
        case .cvvFailure: "CVV FAILURE"
        }
    }
}

extension ResponseCode {
    /// The test issuer's amount rule: an amount whose last two digits of minor units are 05, 10, 51, 54 or 61 is answered with that code, any
    /// other approved. 10.51 is insufficient funds; of 20.10 the half is approved.
    init(forAmount minorUnits: Int64) {
        switch minorUnits % 100 {
        case 5: self = .doNotHonour
        case 10: self = .partiallyApproved
        case 51: self = .insufficientFunds
        case 54: self = .expiredCard
        case 61: self = .exceedsLimit
        default: self = .approved
        }
    }
}
