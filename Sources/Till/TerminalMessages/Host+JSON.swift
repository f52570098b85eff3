import JSONDocument
import PaymentTerminal

extension SecureCardResponse {
    var pairs: [JSON.Pair] {
        [("description", description.isEmpty ? nil : .text(description)), ("secureCard", secureCard?.json)]
    }
}

extension SecureCard {
    fileprivate var json: JSON {
        .object(
            [("merchantReference", .text(merchantReference.text)), ("token", .text(cardReference?.text))]
                + (card?.pairs ?? []) + [
                    ("cardholderName", .text(card?.cardholderName)),
                    ("entryMode", .text(entryMode?.name)), ("reader", .text(readerName)),
                    ("securityCheck", .text(securityCheck?.rawValue)), ("operator", .text(details.operatorName)),
                    ("email", .text(details.email)), ("mobile", .text(details.mobileNumber)),
                    ("city", .text(details.city)), ("region", .text(details.region)),
                    ("country", .text(details.country)), ("ipAddress", .text(details.ipAddress)),
                    ("customFields", details.customFields.isEmpty ? nil : .list(details.customFields.map(\.json))),
                ])
    }
}

extension TransactionQuery.Page {
    var pairs: [JSON.Pair] {
        [
            ("transactions", .list(records.map(\.json))),
            ("unreadable", unreadable.isEmpty ? nil : .list(unreadable.map { .orNull($0) { .text($0.text) } })),
            ("next", .text(next)),
        ]
    }
}

extension TransactionRecord {
    fileprivate var json: JSON {
        .object([
            ("order", .text(orderID.text)), ("transaction", .text(uniqueReference)), ("kind", .text(kind.rawValue)),
            ("state", .text(state.rawValue)), ("amount", .text(amount?.decimal)),
            ("authorizedAmount", .text(authorizedAmount?.decimal)),
            ("refundedAmount", .text(refundedAmount?.decimal)),
            ("currency", .text((amount ?? authorizedAmount ?? refundedAmount)?.currency.code)),
            ("time", timestamp?.json), ("card", .text(maskedPAN)), ("responseCode", .text(responseCode)),
            ("approvalCode", .text(approvalCode)), ("original", .text(original)),
            ("reversalReason", .text(reversalReason?.rawValue)),
        ])
    }
}

extension HostSettings {
    var pairs: [JSON.Pair] {
        [
            ("merchant", .text(merchantName)), ("terminal", .text(terminalID)),
            ("currencies", currencies.map { .list($0.map { .text($0.code) }) }),
            ("customFields", customFields.isEmpty ? nil : .list(customFields.map { .text($0) })),
            ("maximumAmount", .text(maximumAmount?.decimal)),
            ("maximumCurrency", .text(maximumAmount?.currency.code)),
        ]
    }
}

extension TerminalError {
    var pairs: [JSON.Pair] {
        [
            ("code", .text(code.rawValue)), ("description", .text(message)),
            ("readerFault", .text(readerFault?.rawValue)), ("hostFault", .text(hostFault?.rawValue)),
            ("fallbackEntryMode", .text(fallbackEntryMode?.name)),
        ]
    }
}
