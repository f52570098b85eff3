import Bytes
import CardCapture
import EMVKernel
private import TLV

/// A payment that was stored offline, with the data that the host needs to capture or decide it.
///
/// It contains the card number, and the track of a card without a chip until it is authorised. A
/// journal seals these data, and deletes them with the host's answer. A CVV or a PIN is never
/// stored (PCI DSS 4.0, 3.3).
public struct StoredPayment: Sendable {
    let purpose: AuthorizationRequest.Purpose
    let amount: Money
    let timestamp: Timestamp
    let terminalID: String
    let terms: PaymentTerms
    let card: StoredCard
    let secureCard: StoredSecureCardWish?

    init(
        purpose: AuthorizationRequest.Purpose, amount: Money, timestamp: Timestamp, terminalID: String,
        terms: PaymentTerms,
        card: StoredCard, secureCard: StoredSecureCardWish?
    ) {
        self.purpose = purpose
        self.amount = amount
        self.timestamp = timestamp
        self.terminalID = terminalID
        self.terms = terms
        self.card = card
        self.secureCard = secureCard
    }

    /// Nil for a token: only the host knows the card behind it.
    init?(_ request: AuthorizationRequest) {
        guard let card = StoredCard(request.card) else { return nil }
        self.init(
            purpose: request.purpose, amount: request.amount, timestamp: request.timestamp,
            terminalID: request.terminalID,
            terms: request.terms, card: card, secureCard: request.secureCard.map { StoredSecureCardWish($0) })
    }

    /// The request to send now; nil if the stored card data are invalid.
    func request(
        _ orderID: OrderID, _ processing: AuthorizationRequest.Processing, signature: Signature?
    ) -> AuthorizationRequest? {
        guard let card = card.card else { return nil }
        return AuthorizationRequest(
            orderID: orderID, purpose: purpose, processing: processing, amount: amount, timestamp: timestamp,
            terminalID: terminalID,
            card: card, terms: terms, secureCard: secureCard?.secureCard, signature: signature)
    }
}

extension StoredPayment: CustomStringConvertible, CustomReflectable {
    public var description: String { "stored payment of \(amount)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension StoredPayment {
    /// A stored payment without the card's secrets, for the journal's JSON.
    struct Public: Codable {
        fileprivate let purpose: AuthorizationRequest.Purpose
        fileprivate let amount: Money
        fileprivate let timestamp: Timestamp
        fileprivate let terminalID: String
        fileprivate let terms: PaymentTerms
        fileprivate let entryMode: CapturedCard.EntryMode
        fileprivate let fallbackReason: Fallback.Reason?
        fileprivate let expiry: String?
        fileprivate let panSequenceNumber: UInt8?
        fileprivate let cardholderName: String?
        fileprivate let encryptedTracks: EncryptedTracks?
        fileprivate let chip: String?
        fileprivate let secureCard: StoredSecureCardWish?
    }

    var `public`: Public {
        Public(
            purpose: purpose, amount: amount, timestamp: timestamp, terminalID: terminalID, terms: terms,
            entryMode: card.entryMode, fallbackReason: card.fallbackReason, expiry: card.expiry,
            panSequenceNumber: card.panSequenceNumber, cardholderName: card.cardholderName,
            encryptedTracks: card.encryptedTracks, chip: card.chip, secureCard: secureCard)
    }

    init(_ part: Public, _ secrets: [StoredCard.Secret: SecretBytes]) {
        self.init(
            purpose: part.purpose, amount: part.amount, timestamp: part.timestamp, terminalID: part.terminalID,
            terms: part.terms,
            card: StoredCard(
                entryMode: part.entryMode, fallbackReason: part.fallbackReason, pan: secrets[.pan], expiry: part.expiry,
                panSequenceNumber: part.panSequenceNumber,
                cardholderName: part.cardholderName, track2: secrets[.track2], encryptedTracks: part.encryptedTracks,
                chip: part.chip),
            secureCard: part.secureCard)
    }
}

/// The card of a stored payment.
struct StoredCard: Sendable {
    /// Data that must not become a string on the way to the journal, by their field number there.
    enum Secret: UInt8 {
        /// ASCII digits.
        case pan = 1
        /// Track 2 of a stripe, ASCII.
        case track2 = 2
    }

    let entryMode: CapturedCard.EntryMode
    let fallbackReason: Fallback.Reason?
    /// ASCII digits; nil if the reader encrypts the number.
    let pan: SecretBytes?
    let expiry: String?
    let panSequenceNumber: UInt8?
    let cardholderName: String?
    /// Track 2 of a stripe, ASCII.
    let track2: SecretBytes?
    let encryptedTracks: EncryptedTracks?
    /// The data objects of an EMV transaction, BER-TLV coded in hexadecimal: field 55, which has
    /// neither PAN nor track.
    let chip: String?

    init(
        entryMode: CapturedCard.EntryMode, fallbackReason: Fallback.Reason? = nil, pan: SecretBytes?, expiry: String?,
        panSequenceNumber: UInt8? = nil, cardholderName: String? = nil, track2: SecretBytes? = nil,
        encryptedTracks: EncryptedTracks? = nil,
        chip: String? = nil
    ) {
        self.entryMode = entryMode
        self.fallbackReason = fallbackReason
        self.pan = pan
        self.expiry = expiry
        self.panSequenceNumber = panSequenceNumber
        self.cardholderName = cardholderName
        self.track2 = track2
        self.encryptedTracks = encryptedTracks
        self.chip = chip
    }

    init?(_ card: PaymentCard) {
        switch card {
        case .captured(let card):
            self.init(
                entryMode: card.entryMode, fallbackReason: card.fallbackReason, pan: card.pan, expiry: card.expiry,
                panSequenceNumber: card.panSequenceNumber,
                cardholderName: card.cardholderName, track2: card.chip == nil ? card.track2 : nil,
                encryptedTracks: card.encryptedTracks, chip: card.chip?.field55(for: .advice).hex)
        case .keyed(let card, _):
            self.init(entryMode: .keyed, pan: card.pan, expiry: card.expiry.yymm, cardholderName: card.cardholderName)
        case .token: return nil
        }
    }

    var secrets: [(key: Secret, value: SecretBytes)] {
        [(Secret.pan, pan), (.track2, track2)].compactMap { field, value in value.map { (field, $0) } }
    }

    /// Nil if the stored data are not a card.
    var card: PaymentCard? {
        if entryMode == .keyed {
            guard let pan, let expiry = expiry.flatMap({ ExpiryDate(yymm: $0) }),
                let card = try? CardDetails(pan: pan, expiry: expiry, cardholderName: cardholderName)
            else { return nil }
            return .keyed(card, cvv: nil)
        }
        let elements = chip.flatMap { text in (try? [UInt8](hex: text)).flatMap { try? DataElements(parsing: $0) } }
        return .captured(
            CapturedCard(
                entryMode: entryMode, pan: pan, expiry: expiry, panSequenceNumber: panSequenceNumber,
                cardholderName: cardholderName,
                track2: track2, encryptedTracks: encryptedTracks, chip: elements.map { ChipData(elements: $0) },
                fallbackReason: fallbackReason))
    }
}

/// The request to register the card of a stored payment.
struct StoredSecureCardWish: Sendable, Codable {
    let merchantReference: MerchantReference
    let entryMode: CapturedCard.EntryMode?
    let readerName: String?
    let details: SecureCard.Details

    init(_ card: SecureCard) {
        merchantReference = card.merchantReference
        entryMode = card.entryMode
        readerName = card.readerName
        details = card.details
    }

    var secureCard: SecureCard {
        SecureCard(merchantReference: merchantReference, entryMode: entryMode, readerName: readerName, details: details)
    }
}
