/// One kind of message: its elements in the order that the gateway's schema has them in, and what
/// its hash covers.
public struct XMLForm: Sendable {
    enum Part: Sendable {
        case required(XMLField)
        case optional(XMLField)
        /// An element around elements, there as a whole or not at all.
        case group(String, [XMLField])
        case customFields
    }

    /// The name of the root element.
    public let name: String
    let parts: [Part]
    /// In their order, the secret behind them. Of an answer, terminal, currency and amount are those
    /// of its request.
    let hashed: [XMLField]
    /// The same at a terminal with several currencies: a payment, a pre-authorization and their
    /// answers have the currency before the amount. Documents name no other message.
    var hashedWithCurrency: [XMLField] {
        guard Self.namesCurrency.contains(name) else { return hashed }
        return hashed.flatMap { $0 == .amount ? [.currency, .amount] : [$0] }
    }

    private static let namesCurrency: Set<String> = [
        payment.name, paymentResponse.name, preAuthorization.name, preAuthorizationResponse.name,
    ]

    private init(_ name: String, _ parts: [Part], hash hashed: [XMLField]) {
        self.name = name
        self.parts = parts
        self.hashed = hashed
    }

    private static func optional(_ fields: XMLField...) -> [Part] { fields.map { .optional($0) } }
    private static func required(_ fields: XMLField...) -> [Part] { fields.map { .required($0) } }
}

extension XMLForm {
    // MARK: Payments

    public static let payment = XMLForm(
        "PAYMENT",
        required(.orderID, .terminalID, .amount, .dateTime) + optional(.trackData, .cardNumber)
            + [.group("DUKPTCARDDETAILS", [.encryptedTrack, .keySerialNumber, .formatID])] + required(.cardType)
            + optional(.cardExpiry, .cardholderName) + required(.hash, .currency, .terminalType, .transactionType)
            + optional(
                .autoReady, .email, .cvv, .issueNumber, .address1, .address2, .postCode, .description, .xid, .cavv,
                .mpiReference,
                .mobileNumber, .deviceID, .phone, .city, .region, .country, .ipAddress, .signature) + [.customFields],
        hash: [.terminalID, .orderID, .amount, .dateTime])
    public static let preAuthorization = XMLForm(
        "PREAUTH",
        required(.orderID, .terminalID, .amount, .dateTime, .cardNumber, .cardType)
            + optional(.cardExpiry, .cardholderName)
            + required(.hash, .currency, .terminalType, .transactionType)
            + optional(
                .email, .cvv, .issueNumber, .address1, .address2, .postCode, .description, .city, .region, .country,
                .ipAddress)
            + [.customFields],
        hash: [.terminalID, .orderID, .amount, .dateTime])
    public static let completion = XMLForm(
        "PREAUTHCOMPLETION",
        required(.uniqueReference, .terminalID, .amount) + optional(.description) + required(.dateTime) + optional(.cvv)
            + required(.hash) + optional(.ownOrderID),
        hash: [.terminalID, .uniqueReference, .amount, .dateTime, .ownOrderID])
    public static let refund = XMLForm(
        "REFUND",
        required(.uniqueReference, .terminalID, .amount, .dateTime, .hash, .operatorName, .reason)
            + optional(.autoReady, .ownOrderID),
        hash: [.terminalID, .uniqueReference, .amount, .dateTime, .ownOrderID])
    public static let unreferencedRefund = XMLForm(
        "UNREFERENCEDREFUND",
        required(.orderID, .terminalID) + optional(.cardReference)
            + [.group("CARDDETAILS", [.cardType, .cardNumber, .cardExpiry, .cardholderName])] + optional(.currency)
            + required(.amount)
            + optional(.email, .autoReady) + required(.dateTime, .hash, .operatorName) + optional(.description),
        hash: [.terminalID, .orderID, .cardType, .cardNumber, .cardExpiry, .cardholderName, .amount, .dateTime])

    private static let paymentHash: [XMLField] = [
        .terminalID, .uniqueReference, .amount, .dateTime, .responseCode, .responseText, .bankResponseCode,
    ]
    public static let paymentResponse = XMLForm(
        "PAYMENTRESPONSE",
        optional(.uniqueReference) + required(.responseCode, .responseText, .approvalCode)
            + optional(.bankResponseCode, .authorizedAmount) + required(.dateTime)
            + optional(.avsResponse, .cvvResponse, .processingTerminal) + required(.hash),
        hash: paymentHash)
    public static let preAuthorizationResponse = XMLForm(
        "PREAUTHRESPONSE",
        optional(.uniqueReference) + required(.responseCode, .responseText) + optional(.bankResponseCode)
            + required(.approvalCode)
            + optional(.authorizedAmount) + required(.dateTime)
            + optional(.avsResponse, .cvvResponse, .processingTerminal)
            + required(.hash),
        hash: paymentHash)
    public static let completionResponse = XMLForm(
        "PREAUTHCOMPLETIONRESPONSE",
        optional(.uniqueReference) + required(.responseCode, .responseText, .approvalCode, .dateTime)
            + optional(.avsResponse, .cvvResponse, .processingTerminal) + required(.hash),
        hash: paymentHash)
    public static let refundResponse = XMLForm(
        "REFUNDRESPONSE",
        required(.responseCode, .responseText, .uniqueReference, .dateTime) + optional(.processingTerminal)
            + required(.hash),
        hash: paymentHash)
    public static let unreferencedRefundResponse = XMLForm(
        "UNREFERENCEDREFUNDRESPONSE",
        required(.responseCode, .responseText, .uniqueReference, .dateTime) + optional(.processingTerminal)
            + required(.hash),
        hash: paymentHash)

    // MARK: Secure cards

    private static let cardHash: [XMLField] = [
        .terminalID, .merchantReference, .dateTime, .cardNumber, .cardExpiry, .cardType, .cardholderName,
    ]
    public static let registration = XMLForm(
        "SECURECARDREGISTRATION",
        required(
            .merchantReference, .terminalID, .dateTime, .cardNumber, .cardExpiry, .cardType, .cardholderName, .hash)
            + optional(.dontCheckSecurity, .cvv, .issueNumber, .permittedTerminals) + [.customFields],
        hash: cardHash)
    public static let update = XMLForm(
        "SECURECARDUPDATE",
        required(.merchantReference, .terminalID, .dateTime) + optional(.cardNumber, .cardExpiry) + required(.cardType)
            + optional(.cardholderName) + required(.hash)
            + optional(.dontCheckSecurity, .cvv, .issueNumber, .permittedTerminals)
            + [.customFields],
        hash: cardHash)
    public static let removal = XMLForm(
        "SECURECARDREMOVAL", required(.merchantReference, .cardReference, .terminalID, .dateTime, .hash),
        hash: [.terminalID, .merchantReference, .dateTime, .cardReference])
    public static let search = XMLForm(
        "SECURECARDSEARCH", required(.merchantReference, .terminalID, .dateTime, .hash),
        hash: [.terminalID, .merchantReference, .dateTime])

    private static let storedCard: [Part] = required(.merchantReference, .cardReference, .dateTime, .hash)
    private static let storedCardHash: [XMLField] = [.terminalID, .merchantReference, .cardReference, .dateTime]
    public static let registrationResponse = XMLForm("SECURECARDREGISTRATIONRESPONSE", storedCard, hash: storedCardHash)
    public static let updateResponse = XMLForm("SECURECARDUPDATERESPONSE", storedCard, hash: storedCardHash)
    public static let removalResponse = XMLForm(
        "SECURECARDREMOVALRESPONSE", required(.merchantReference, .dateTime, .hash),
        hash: [.terminalID, .merchantReference, .dateTime])
    public static let searchResponse = XMLForm(
        "SECURECARDSEARCHRESPONSE",
        required(.merchantReference, .cardReference, .cardType, .cardExpiry, .cardholderName)
            + optional(.permittedTerminals)
            + required(.dateTime, .hash),
        hash: [.terminalID, .merchantReference, .cardReference, .cardType, .cardExpiry, .cardholderName, .dateTime])

    // MARK: Errors

    public static let error = XMLForm("ERROR", optional(.errorCode) + required(.errorString), hash: [])

    // MARK: Beyond the published interface

    public static let orderStatus = XMLForm(
        "CP_ORDERSTATUS", required(.orderID, .terminalID, .dateTime, .hash), hash: [.terminalID, .orderID, .dateTime])
    public static let orderStatusResponse = XMLForm(
        "CP_ORDERSTATUSRESPONSE",
        required(.orderID, .orderState)
            + optional(
                .uniqueReference, .currency, .responseCode, .responseText, .approvalCode, .bankResponseCode,
                .authorizedAmount,
                .avsResponse, .cvvResponse, .cardReference) + required(.dateTime, .hash),
        hash: [
            .terminalID, .orderID, .orderState, .uniqueReference, .currency, .responseCode, .responseText,
            .approvalCode, .bankResponseCode, .authorizedAmount, .cardReference, .dateTime,
        ])
    public static let reversal = XMLForm(
        "CP_REVERSAL", required(.orderID, .terminalID, .reason, .dateTime, .hash),
        hash: [.terminalID, .orderID, .reason, .dateTime])
    public static let reversalResponse = XMLForm(
        "CP_REVERSALRESPONSE", required(.orderID, .dateTime, .hash), hash: [.terminalID, .orderID, .dateTime])

    /// Each request with the form of its answer.
    public static let exchanges: [(request: XMLForm, answer: XMLForm)] = [
        (payment, paymentResponse), (preAuthorization, preAuthorizationResponse), (completion, completionResponse),
        (refund, refundResponse), (unreferencedRefund, unreferencedRefundResponse),
        (registration, registrationResponse),
        (update, updateResponse), (removal, removalResponse), (search, searchResponse),
        (orderStatus, orderStatusResponse),
        (reversal, reversalResponse),
    ]
}
