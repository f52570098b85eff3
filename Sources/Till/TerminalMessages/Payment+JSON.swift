import Bytes
import CardCapture
import JSONDocument
import PaymentTerminal
import TLV

extension PaymentResponse {
    var pairs: [JSON.Pair] { unnamedPairs + [("cardholderName", .text(card?.cardholderName))] }

    /// What is kept of it: all but the cardholder's name.
    var unnamedPairs: [JSON.Pair] {
        [
            ("operation", .text(operation.rawValue)), ("outcome", .text(outcome.name)),
            ("reversalReason", .text(outcome.reversalReason?.rawValue)),
            ("reversal", reversal == .none ? nil : .text(reversal.rawValue)), ("order", .text(orderID.text)),
            ("time", timestamp.json),
        ] + (authorizedAmount?.pairs ?? []) + [
            ("description", .text(description)), ("responseCode", .text(responseCode)),
            ("declineCode", declineCode.map { .number($0) }), ("approvalCode", .text(approvalCode)),
            ("uniqueReference", .text(uniqueReference)),
            ("checks", checks.json), ("fieldsNotSent", .names(fieldsNotSent)),
        ] + (card?.pairs ?? []) + [
            ("entryMode", .text(entryMode?.name)), ("application", receipt.chip?.json),
            ("isPINVerified", isPINVerified ? .flag(true) : nil), ("tags", tags),
            ("requiresSignature", receipt.requiresSignature ? .flag(true) : nil),
            ("token", .text(secureCardReference?.text)), ("hostFault", .text(hostFault?.rawValue)),
        ]
    }

    /// The chip's data objects, card numbers masked.
    private var tags: JSON? {
        guard let emvTags, let bytes = try? [UInt8](hex: emvTags), let elements = try? DataElements(parsing: bytes)
        else { return nil }
        return .object(
            sorted: Dictionary(
                elements.tags.map {
                    ($0.description, JSON.text(elements[$0].map { CardNumberScan.maskedHex($0) } ?? ""))
                }
            ) { $1 })
    }
}

extension Receipt.ChipLines {
    fileprivate var json: JSON {
        .object([
            ("aid", .text(aid)), ("label", .text(applicationLabel)), ("preferredName", .text(preferredName)),
        ])
    }
}

extension PaymentResponse.Outcome {
    fileprivate var name: String {
        switch self {
        case .approved: "approved"
        case .partiallyApproved: "partiallyApproved"
        case .declined: "declined"
        case .reversed: "reversed"
        case .storedOffline: "storedOffline"
        case .unknown: "unknown"
        }
    }

    fileprivate var reversalReason: ReversalReason? { if case .reversed(let reason) = self { reason } else { nil } }
}

extension CardholderChecks {
    fileprivate var json: JSON? {
        guard self != CardholderChecks() else { return nil }
        return .object([("address", .text(address)), ("cvv", .text(cvv))])
    }
}

// MARK: - Receipts

extension Receipt {
    var pairs: [JSON.Pair] {
        [("order", .text(orderID.text)), ("merchant", lines(.merchant)), ("cardholder", lines(.cardholder))]
    }

    private func lines(_ copy: Copy) -> JSON { .list(lines(for: copy).map(\.json)) }
}

extension Receipt.Line {
    fileprivate var json: JSON {
        switch self {
        case .merchant(let text): line("merchant", [("text", .text(text))])
        case .heading(let text): line("heading", [("text", .text(text))])
        case .row(let name, let value): line("row", [("name", .text(name)), ("text", .text(value))])
        case .sum(let name, let money): line("sum", [("name", .text(name))] + money.pairs)
        case .amount(let money): line("amount", money.pairs)
        case .outcome(let text): line("outcome", [("text", .text(text))])
        case .note(let text): line("note", [("text", .text(text))])
        case .gap: line("gap", [])
        case .signature(let signature): line("signature", [("strokes", signature?.json)])
        }
    }

    private func line(_ kind: String, _ members: [JSON.Pair]) -> JSON { .object([("line", .text(kind))] + members) }
}
