import Bytes
import CardCapture
public import JSONDocument
public import PaymentTerminal
import TLV

/// A payment or a refund as the REST interface tells it.
public enum RESTAnswer {
    /// Whether the gateway says that it charged nothing.
    public static func isDeclined(_ answer: JSON) -> Bool {
        switch ResultCode(rawValue: answer["transactionResult"]?["resultCode"]?.text ?? "") {
        case .declined, .keepCard: true
        case .approved, .partlyApproved, .accepted, .referred, nil: false
        }
    }

    /// Whether the answer names another order: it says nothing about this one.
    public static func isOfAnother(than orderID: OrderID, _ answer: JSON) -> Bool {
        let named = (answer["order"] ?? answer)["orderId"]?.text
        return named != nil && named != orderID.text
    }

    /// - Parameter record: what the host has of the transaction, for what the response itself does
    ///   not say.
    public static func document(_ response: AuthorizationResponse, _ record: TransactionRecord, terminalID: String)
        -> JSON
    {
        let result = ResultCode(responseCode: response.issuer.responseCode)
        let isRefund = record.kind == .refund
        let amount = (isRefund ? "-" : "") + response.authorizedAmount.decimal
        return .object([
            "uniqueReference": .text(response.uniqueReference), "terminal": .text(terminalID),
            "orderId": isRefund ? .text(record.orderID.text) : nil,
            "order": isRefund
                ? nil
                : .object([
                    "orderId": .text(record.orderID.text), "currency": .text(response.authorizedAmount.currency.code),
                    "totalAmount": record.amount.map { .money($0) },
                ]),
            "customerAccount": .object([
                "cardType": response.card?.brand.map { .text(CardTypeName.name(of: $0)) },
                "cardholderName": response.card?.cardholderName.map { .text($0) },
                "maskedPan": response.card.map { .text($0.maskedPAN) },
                "expiryDate": response.card?.expiry.map { .text($0.mmyy) },
            ]),
            "securityCheck": response.checks == CardholderChecks()
                ? nil
                : .object([
                    "cvvResult": response.checks.cvv.map { .text($0) },
                    "avsResult": response.checks.address.map { .text($0) },
                ]),
            "transactionResult": .object([
                "type": .text(type(record.kind)), "status": .text(status(record)),
                "approvalCode": response.issuer.approvalCode.map { .text($0) },
                "dateTime": record.timestamp.map { .text($0) },
                "currency": .text(response.authorizedAmount.currency.code),
                "authorizedAmount": .number(amount), "resultCode": .text(result.rawValue),
                "resultMessage": .text(response.message),
                "processorResultCode": .text(response.issuer.responseCode),
                "storedPaymentCredentials": response.secureCardReference.map {
                    .object(["credentialsNumber": .text($0.text)])
                },
            ]),
            "emvTags": tags(response.issuer),
        ])
    }

    private static func tags(_ issuer: IssuerAnswer.Answer) -> JSON? {
        func tag(_ tag: String, _ value: [UInt8]) -> JSON {
            .object(["hex": .text(tag), "value": .text(value.hex.lowercased())])
        }
        guard let data = issuer.issuerAuthenticationData else { return nil }
        let scripts = issuer.scripts.compactMap { script -> JSON? in
            // The template's length has one byte up to 127, and more behind 81 or 82 (EMV 4.4 Book
            // 3, annex B2).
            guard script.count > 2, [0x71, 0x72].contains(script[0]) else { return nil }
            let header = 2 + (script[1] < 0x80 ? 0 : Int(script[1] & 0x7F))
            return tag(String(script[0], radix: 16), Array(script.dropFirst(header)))
        }
        return .list([tag("91", data), tag("8A", Array(issuer.responseCode.utf8))] + scripts)
    }

    static func type(_ kind: TransactionRecord.Kind) -> String {
        switch kind {
        case .sale, .capture: "SALE"
        case .preAuthorization: "PREAUTH"
        case .refund: "REFUND"
        case .accountVerification: "VERIFICATION"
        }
    }

    static func status(_ record: TransactionRecord) -> String {
        switch record.state {
        case .pending: "PENDING"
        case .approved: record.kind == .preAuthorization ? "PENDING" : "READY"
        case .approvedOffline: "READY"
        case .declined:
            record.responseCode.map { ResultCode(responseCode: $0) } == .referred ? "REFERRAL" : "DECLINED"
        case .voided: "VOID"
        case .reversed: "REVERSAL"
        case .captured, .settled: "COMPLETE"
        }
    }

    /// Statuses of what was undone.
    static let undone: Set<String> = ["VOID", "REVERSAL"]
}

extension AuthorizationResponse {
    /// What an answer says was decided.
    ///
    /// - Parameters:
    ///   - orderID: Which order it must be of; nil if the caller does not know.
    ///   - requested: What was asked for; nil if the caller does not know.
    public init(answer: JSON, orderID: OrderID?, requested: Money?) throws(HostError) {
        let result = try answer.stated("transactionResult", \.object) ?? .null
        let order = try answer.stated("order", \.object) ?? answer
        guard let reference = answer["uniqueReference"]?.text, !reference.isEmpty,
            let currency = Currency(code: result["currency"]?.text ?? ""),
            requested == nil || requested?.currency == currency,
            let code = ResultCode(rawValue: result["resultCode"]?.text ?? ""), code != .accepted
        else { throw .answerNotUnderstood }
        if let orderID, order["orderId"]?.text != orderID.text { throw .answerNotUnderstood }
        let responseCode = try result.stated("processorResultCode", \.text) ?? code.responseCode
        guard code.approves == ResultCode(responseCode: responseCode).approves, responseCode.utf8.count == 2 else {
            throw .answerNotUnderstood
        }
        let type = try result.stated("type", \.text)
        let isRefund = type == RESTAnswer.type(.refund)
        let authorized = try result.stated("authorizedAmount") { $0.money(in: currency, isRefund: isRefund) }
        let amount = try code.amount(authorized: authorized, requested: requested, in: currency)
        var issuer = IssuerAnswer.Answer(responseCode: responseCode, approvalCode: result["approvalCode"]?.text)
        for tag in try answer.stated("emvTags", \.list) ?? [] {
            let value = try tag.stated("value") { $0.text.flatMap { try? [UInt8](hex: $0) } } ?? []
            switch tag["hex"]?.text?.uppercased() {
            case "91": issuer.issuerAuthenticationData = value
            case "71": issuer.scripts.append(tlv(.issuerScriptTemplate1, value))
            case "72": issuer.scripts.append(tlv(.issuerScriptTemplate2, value))
            default: break
            }
        }
        // What is only shown, or can be had again, does not decide about money: it may be
        // unreadable.
        let account = answer["customerAccount"]
        self.init(
            uniqueReference: reference, issuer: issuer, authorizedAmount: amount,
            card: account?["maskedPan"]?.text.map {
                CardSummary(
                    maskedPAN: $0, expiry: account?["expiryDate"]?.text.flatMap { ExpiryDate(mmyy: $0) },
                    cardholderName: account?["cardholderName"]?.text)
            },
            secureCardReference: result["storedPaymentCredentials"]?["credentialsNumber"]?.text.map {
                SecureCardReference($0)
            },
            checks: CardholderChecks(
                address: answer["securityCheck"]?["avsResult"]?.text, cvv: answer["securityCheck"]?["cvvResult"]?.text),
            message: result["resultMessage"]?.text ?? "", isAuthorized: code.approves)
    }
}
