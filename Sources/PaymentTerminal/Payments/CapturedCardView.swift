import CardCapture

/// What a response tells of the card that paid.
struct CapturedCardView: Sendable {
    var card: CardSummary?
    var entryMode: CapturedCard.EntryMode?
    var chip: ChipData?
    var requiresSignature = false
    var signature: Signature?
    /// What the host's interface has no place for.
    var fieldsNotSent: Set<PaymentField> = []

    var unsentFields: [PaymentField]? { fieldsNotSent.isEmpty ? nil : fieldsNotSent.sorted { $0.rawValue < $1.rawValue } }

    /// Of no card: a token, a refund or a capture of a known transaction.
    init() {}

    init(_ capture: CaptureOutcome) {
        card = capture.card.map { CardSummary($0) }
        entryMode = capture.card?.entryMode
        chip = capture.card?.chip
        requiresSignature = capture.requiresSignature
    }

    init(_ source: Sale.Source) {
        switch source {
        case .keyed(let details, _), .ocr(let details):
            card = CardSummary(details)
            entryMode = .keyed
        case .reader, .secureCard: break
        }
    }
}
