/// The test issuer's answer: an authorisation response code, tag `8A` (ISO 8583:1987, field 39;
/// some as Visa uses them). Two characters.
struct ResponseCode: RawRepresentable, Hashable {
    let rawValue: String

    init(rawValue: String) { self.rawValue = rawValue }

    static let approved = ResponseCode(rawValue: "00")
    static let referToIssuer = ResponseCode(rawValue: "02")
    static let keepCard = ResponseCode(rawValue: "04")
    static let doNotHonor = ResponseCode(rawValue: "05")
    static let partiallyApproved = ResponseCode(rawValue: "10")
    static let noSuchIssuer = ResponseCode(rawValue: "15")
    static let insufficientFunds = ResponseCode(rawValue: "51")
    static let expiredCard = ResponseCode(rawValue: "54")
    static let incorrectPIN = ResponseCode(rawValue: "55")
    static let exceedsLimit = ResponseCode(rawValue: "61")
    static let securityViolation = ResponseCode(rawValue: "63")
    static let exceedsFrequency = ResponseCode(rawValue: "65")
    static let pinCryptographicError = ResponseCode(rawValue: "81")
    static let cryptographicFailure = ResponseCode(rawValue: "88")
    static let duplicate = ResponseCode(rawValue: "94")
    static let cvvFailure = ResponseCode(rawValue: "N7")

    var approves: Bool { ["00", "08", "10", "11"].contains(rawValue) }

    /// Whether the issuer requests a call before it decides.
    var isReferral: Bool { ["01", "02"].contains(rawValue) }

    var summary: String { Self.meanings[self] ?? "DECLINED, CODE \(rawValue)" }

    private static let meanings: [ResponseCode: String] = [
        .approved: "APPROVAL", .referToIssuer: "REFER TO ISSUER", .keepCard: "KEEP THE CARD",
        .doNotHonor: "DO NOT HONOUR",
        .partiallyApproved: "PARTIAL APPROVAL", .noSuchIssuer: "NO SUCH ISSUER",
        .insufficientFunds: "INSUFFICIENT FUNDS",
        .expiredCard: "EXPIRED CARD", .incorrectPIN: "INCORRECT PIN", .exceedsLimit: "EXCEEDS AMOUNT LIMIT",
        .securityViolation: "SECURITY VIOLATION", .exceedsFrequency: "EXCEEDS FREQUENCY LIMIT",
        .pinCryptographicError: "PIN CRYPTOGRAPHIC ERROR", .cryptographicFailure: "CRYPTOGRAPHIC FAILURE",
        .duplicate: "DUPLICATE TRANSACTION", .cvvFailure: "CVV FAILURE",
    ]
}

extension ResponseCode {
    /// The test issuer's rule for amounts.
    ///
    /// An amount whose last two digits of minor units are 02, 04, 05, 10, 51, 54 or 61 is answered
    /// with that code. Above 100.00 the last three digits are the code, as on the gateway's
    /// sandbox, if they are 001 to 099. Any other amount is approved.
    init(forAmount minorUnits: Int64) {
        let end = minorUnits % (minorUnits > 100_00 ? 1000 : 100)
        let code = (end < 10 ? "0" : "") + String(end)
        let rule: Set<ResponseCode> = [
            .referToIssuer, .keepCard, .doNotHonor, .partiallyApproved, .insufficientFunds, .expiredCard, .exceedsLimit,
        ]
        let lastTwo = ResponseCode(rawValue: minorUnits % 100 < 10 ? "0\(minorUnits % 100)" : "\(minorUnits % 100)")
        if minorUnits > 100_00, (1...99).contains(end) {
            self.init(rawValue: code)
        } else {
            self = rule.contains(lastTwo) ? lastTwo : .approved
        }
    }
}
