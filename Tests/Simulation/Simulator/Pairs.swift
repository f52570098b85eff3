internal import PaymentTerminal

/// Which corners came with which wish, and with which host: each should come with each where it
/// can.
package enum Pairs {
    package static let wishes = Wish.Kind.allCases.map(\.rawValue)
    package static let hosts = [
        "direct", "REST with extensions", "REST as published", "XML with extensions", "XML as published", "bench host",
    ]

    static func name(_ corner: Fault, _ partner: String) -> String { "\(corner.rawValue) & \(partner)" }

    package static func count(_ corner: Fault, _ partner: String, in pairs: [String: Int]) -> Int {
        pairs[name(corner, partner)] ?? 0
    }

    /// Whether the corner can come with the wish, or at the host, at all.
    package static func isPossible(_ corner: Fault, _ partner: String) -> Bool {
        hosts.contains(partner) ? isPossible(corner, host: partner) : isPossible(corner, wish: partner)
    }

    private static func isPossible(_ corner: Fault, wish name: String) -> Bool {
        guard let kind = Wish.Kind(rawValue: name) else { return false }
        let readsCard = [.readerSale, .readerPreAuthorization, .cardRefund].contains(kind)
        switch corner {
        case .cardAlone, .otherCard, .refusedCard, .tap, .tornTap, .signature, .signatureRefused, .signatureMissing,
            .mismatch,
            .verificationMissing, .declineAdvice, .contactless, .asksTwice:
            return readsCard
        case .issuerData: return ![.refund, .capture, .reversal].contains(kind)
        case .callRefused, .callMissing, .callCancelled, .referral:
            return ![.refund, .capture, .reversal].contains(kind)
        // The interfaces' answers to a refund or a capture of a transaction have a code of the
        // issuer's as well.
        case .oddCode: return ![.refund, .capture, .reversal].contains(kind)
        case .foreignOrder, .pendingOrder: return kind != .reversal
        // A reversal has neither an amount in its answer nor a second request after a bare 401.
        case .oddAmount, .unauthorizedBetween: return kind != .reversal
        case .repeatRefused: return ![.refund, .capture].contains(kind)
        case .partly, .keyReused, .repetitionRefused: return kind != .reversal
        case .codeLate, .inquiryRefused: return ![.refund, .capture, .reversal].contains(kind)
        case .othersAnswer: return ![.refund, .capture, .reversal].contains(kind)
        case .alteredAnswer: return kind != .reversal
        case .awayAtFirst: return kind != .reversal
        case .storedSinceCopy: return ![.refund, .capture, .reversal, .cardRefund].contains(kind)
        case .storedUnflushed, .voided, .nothingToUndo: return ![.refund, .capture, .reversal].contains(kind)
        case .undoneSinceCopy:
            return [.keyedSale, .readerSale, .keyedPreAuthorization, .readerPreAuthorization, .reversal].contains(kind)
        case .registersCard: return ![.refund, .capture, .reversal, .cardRefund].contains(kind)
        default: return true
        }
    }

    private static func isPossible(_ corner: Fault, host: String) -> Bool {
        let isREST = host.hasPrefix("REST")
        let isGateway = isREST || host.hasPrefix("XML")
        switch corner {
        case .oddAmount, .oddCode, .oddError: return isGateway
        case .unauthorizedBetween, .oddReversal: return isREST
        case .oddRecord, .shortPages: return isREST || host == "direct"
        case .reversalAway: return host == "direct" || isREST || host == "bench host"
        case .alteredAnswer: return host.hasPrefix("XML")
        case .othersAnswer: return isREST
        case .codeLate: return host == "direct" || host == "REST with extensions"
        case .repetitionRefused, .partly, .voided, .nothingToUndo, .storedSinceCopy: return host != "bench host"
        case .inquiryRefused: return host != "bench host"
        case .repeatRefused, .clientToken: return host == "REST as published"
        case .listLags: return isREST || host == "direct"
        case .foreignOrder: return isREST || host == "direct"
        case .secureCard: return host != "bench host"
        case .registersCard: return isREST || host == "direct"
        case .otherTerminal: return isREST || host == "direct"
        case .addressAgain: return isGateway
        case .issuerData, .announcement: return host != "bench host"
        case .pendingOrder, .ownRefusal, .batchCloses, .referral: return host != "bench host"
        case .callRefused, .callMissing, .callCancelled: return host == "direct" || host == "REST with extensions"
        case .cardAlone, .otherCard, .refusedCard, .tap, .tornTap, .signature, .signatureRefused, .signatureMissing,
            .mismatch,
            .verificationMissing, .declineAdvice, .asksTwice:
            return host != "bench host"
        default: return true
        }
    }
}

extension World {
    /// Counts a corner for those who are at work, or for `orders`.
    func occurs(_ corner: Fault, _ orders: [OrderID]? = nil) {
        let kinds = Set((orders ?? shop.running.map(\.orderID)).compactMap { shop.kinds[$0]?.rawValue })
        for partner in kinds.sorted() + [hostName] { marks.pairs[Pairs.name(corner, partner), default: 0] += 1 }
        if orders == nil { marks.faults[corner.rawValue, default: 0] += 1 }
    }

    private var hostName: String {
        if bench != nil { return "bench host" }
        guard let server else { return "direct" }
        return (server is XMLServer ? "XML" : "REST") + (host.hasExtensions ? " with extensions" : " as published")
    }
}
