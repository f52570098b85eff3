import Bytes
public import CardCapture
public import JSONDocument
public import PaymentTerminal
import TLV

/// The REST interface's messages about payments.
public enum RESTPayment {
    /// The body of a payment; of an unreferenced refund where the request is one.
    ///
    /// - Parameters:
    ///   - isDecline: whether the card declined it without the issuer: it is recorded, and never
    ///     charged.
    ///   - hasExtensions: whether the host understands what the published interface has no place
    ///     for.
    public static func document(
        _ request: AuthorizationRequest, isDecline: Bool = false, deviceType: String, hasExtensions: Bool
    ) throws(HostError) -> JSON {
        let terms = request.terms
        let account = try CardPayload.document(
            request.card, signature: request.signature, deviceType: deviceType, hasExtensions: hasExtensions)
        let more = hasExtensions ? extensions(request) : nil
        if request.purpose == .refund {
            return .object([
                "channel": .text(channel(request)), "terminal": .text(request.terminalID),
                "orderId": .text(request.orderID.text),
                "currency": .text(request.amount.currency.code), "refundAmount": .money(request.amount),
                "refundReason": .text("refund"),
                "customerAccount": account, "additionalDataFields": .fields(terms.customFields),
                // The published interface has no offline refunds: there the gateway decides.
                "offlineProcessing": hasExtensions ? offline(request, isDecline) : nil, RESTInterface.extensions: more,
            ])
        }
        return .object([
            "channel": .text(channel(request)), "terminal": .text(request.terminalID),
            "order": .object([
                "orderId": .text(request.orderID.text), "currency": .text(request.amount.currency.code),
                "totalAmount": .money(request.amount),
                "orderBreakdown": terms.tip.map { breakdown(request.amount, tip: $0) },
            ]),
            "customer": customer(terms.billingAddress, request.secureCard?.details), "customerAccount": account,
            "credentialOnFile": request.secureCard.map {
                .object(["tokenize": .flag(true), "merchantReference": .text($0.merchantReference.text)])
            },
            "autoCapture": request.purpose == .preAuthorization ? .flag(false) : nil,
            "offlineProcessing": offline(request, isDecline), "additionalDataFields": .fields(terms.customFields),
            RESTInterface.extensions: more,
        ])
    }

    private static func breakdown(_ amount: Money, tip: Money) -> JSON {
        .object([
            "subtotalAmount": .money(Money(minorUnits: amount.minorUnits - tip.minorUnits, currency: amount.currency)),
            "tip": .object(["type": .text("FIXED_AMOUNT"), "amount": .money(tip)]),
        ])
    }

    private static func offline(_ request: AuthorizationRequest, _ isDecline: Bool) -> JSON? {
        if isDecline { return .object(["operation": .text(Operation.decline.rawValue)]) }
        switch request.processing {
        case .online: return nil
        case .deferred:
            return .object(["operation": .text(Operation.deferred.rawValue), "dateTime": .text(request.timestamp)])
        case .approvedOffline: return .object(["operation": .text(Operation.approval.rawValue)])
        }
    }

    /// The operations of `offlineProcessing`.
    public enum Operation: String, Sendable {
        case approval = "OFFLINE_APPROVAL"
        case decline = "OFFLINE_DECLINE"
        case deferred = "DEFERRED_AUTHORIZATION"
    }

    /// The operation of a payment's body; nil for a payment that is decided online.
    public static func operation(of document: JSON) throws(HostError) -> Operation? {
        guard let offline = document["offlineProcessing"] else { return nil }
        guard let operation = Operation(rawValue: offline["operation"]?.text ?? "") else {
            // What is only to be noted must not be charged.
            throw HostError(
                .notSupported, "offline approvals, offline declines and later authorizations are accepted only")
        }
        return operation
    }

    private static func extensions(_ request: AuthorizationRequest) -> JSON {
        let terms = request.terms
        return .object([
            "dateTime": .text(request.timestamp),
            "verification": request.purpose == .accountVerification ? .flag(true) : nil,
            "partialApproval": terms.allowsPartialApproval ? .flag(true) : nil,
            "tipAdjustment": terms.allowsTipAdjustment ? .flag(true) : nil,
            "refuseDuplicates": request.refusesDuplicates ? .flag(true) : nil,
            "descriptor": terms.descriptor.map { .text($0.text) },
            "externalId": terms.externalID.map { .text($0.text) },
            "secureCard": request.secureCard.map { RESTCredentials.details($0) },
        ])
    }

    /// A card that is kept is not in the shop: the published interface takes tokens over the other
    /// channels only.
    private static func channel(_ request: AuthorizationRequest) -> String {
        switch request.terms.channel {
        case .cardPresent: if case .token = request.card { "MOTO" } else { "POS" }
        case .mailOrTelephone: "MOTO"
        case .eCommerce: "WEB"
        }
    }

    private static func customer(_ address: BillingAddress?, _ details: SecureCard.Details?) -> JSON? {
        guard address != nil || details?.email != nil || details?.mobileNumber != nil else { return nil }
        return .object([
            "phone": details?.mobileNumber.map { .text($0) }, "email": details?.email.map { .text($0) },
            "billingAddress": address.map { .object(["line1": .text($0.street), "postalCode": .text($0.postalCode)]) },
        ])
    }
}

extension AuthorizationRequest {
    /// What the body of a payment, or of an unreferenced refund, asks for.
    ///
    /// - Parameter now: the time of a request that names no time.
    public init(payment document: JSON, isRefund: Bool = false, now: Timestamp) throws(HostError) {
        let order = isRefund ? document : document["order"] ?? .null
        guard let currency = Currency(code: order["currency"]?.text ?? "") else { throw .invalidField("currency") }
        guard let amount = order[isRefund ? "refundAmount" : "totalAmount"]?.money(in: currency) else {
            throw .invalidField("totalAmount")
        }
        guard let account = document["customerAccount"] else { throw .invalidField("customerAccount") }
        let more = document[RESTInterface.extensions]
        let isVerification =
            try more?.requested("verification", \.flag) == true || (!isRefund && amount.minorUnits == 0)
        let purpose: Purpose =
            isRefund
            ? .refund
            : isVerification
                ? .accountVerification
                : try document.requested("autoCapture", \.flag) == false ? .preAuthorization : .sale
        let offline = document["offlineProcessing"]
        let processing: Processing =
            switch try RESTPayment.operation(of: document) {
            case .deferred: .deferred
            case .approval: .approvedOffline
            case .decline, nil: .online
            }
        let taken = try offline?.requested("dateTime", \.timestamp)
        let moment = try more?.requested("dateTime", \.timestamp)
        self.init(
            orderID: try order.reference("orderId"), purpose: purpose,
            processing: processing, amount: amount,
            timestamp: taken ?? moment ?? now, terminalID: document["terminal"]?.text ?? "",
            card: try PaymentCard(payload: account),
            terms: try PaymentTerms(payment: document, currency), secureCard: try SecureCard(payment: document),
            signature: try account.signature())
    }
}

extension PaymentTerms {
    fileprivate init(payment document: JSON, _ currency: Currency) throws(HostError) {
        let more = document[RESTInterface.extensions]
        self.init()
        switch document["channel"]?.text {
        case "MOTO": channel = .mailOrTelephone
        case "WEB": channel = .eCommerce
        default: channel = .cardPresent
        }
        tip = try document["order"]?["orderBreakdown"]?["tip"]?.requested("amount") { $0.money(in: currency) }
        allowsPartialApproval = try more?.requested("partialApproval", \.flag) ?? false
        allowsTipAdjustment = try more?.requested("tipAdjustment", \.flag) ?? false
        duplicateCheck = try more?.requested("refuseDuplicates", \.flag) == true ? .required : .off
        if let more, more["descriptor"] != nil { descriptor = try more.reference("descriptor") }
        if let more, more["externalId"] != nil { externalID = try more.reference("externalId") }
        if let address = document["customer"]?["billingAddress"],
            address["line1"] != nil || address["postalCode"] != nil
        {
            billingAddress = BillingAddress(
                street: address["line1"]?.text ?? "", postalCode: address["postalCode"]?.text ?? "")
        }
        customFields = document["additionalDataFields"]?.customFields ?? []
    }
}

extension SecureCard {
    /// The secure card to register with the payment; nil if the payment registers no card.
    fileprivate init?(payment document: JSON) throws(HostError) {
        guard let file = document["credentialOnFile"], try file.requested("tokenize", \.flag) == true else {
            return nil
        }
        let more = document[RESTInterface.extensions]?["secureCard"]
        self.init(merchantReference: try file.reference("merchantReference"))
        entryMode = try more?.requested("entryMode") { $0.text.flatMap { CapturedCard.EntryMode(rawValue: $0) } }
        readerName = more?["readerName"]?.text
        details = SecureCard.Details(document, more)
    }
}
