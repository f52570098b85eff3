import CardCapture

/// The data of the card in a response.
struct CapturedCardView: Sendable {
    var card: CardSummary?
    var entryMode: CapturedCard.EntryMode?
    var chip: ChipData?
    /// Whether a PIN goes to the issuer, enciphered.
    var hasOnlinePIN = false
    var requiresSignature = false
    var signature: Signature?
    /// The fields that the host's interface does not support.
    var fieldsNotSent: Set<PaymentField> = []

    var unsentFields: [PaymentField]? {
        fieldsNotSent.isEmpty ? nil : fieldsNotSent.sorted { $0.rawValue < $1.rawValue }
    }

    /// Without a card: a token, a refund or a capture of a known transaction.
    init() {}

    init(_ capture: CaptureOutcome) {
        card = capture.card.map { CardSummary($0) }
        entryMode = capture.card?.entryMode
        chip = capture.card?.chip
        hasOnlinePIN = capture.card?.pin != nil
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
