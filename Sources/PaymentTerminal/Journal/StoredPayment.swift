private import Bytes
import CardReaders
private import EMVKernel
private import TLV

/// A payment that was taken without the host, with what the host needs to settle or decide it.
///
/// It has the card number, and the track of a card without a chip as long as nobody has authorised it: a journal seals it, and drops it with the
/// host's answer. A CVV and a PIN are never in it (PCI DSS 4.0, 3.3).
public struct StoredPayment: Sendable, Codable {
    let purpose: AuthorizationRequest.Purpose
    let amount: Money
    let timestamp: Timestamp
    let terminalID: String
    let terms: PaymentTerms
    let card: StoredCard
    let secureCard: StoredSecureCardWish?

    /// Nil for a token: only the host knows the card behind it.
    init?(_ request: AuthorizationRequest) {
        guard let card = StoredCard(request.card) else { return nil }
        purpose = request.purpose
        amount = request.amount
        timestamp = request.timestamp
        terminalID = request.terminalID
        terms = request.terms
        self.card = card
        secureCard = request.secureCard.map { StoredSecureCardWish($0) }
    }

    /// The request to be sent now.
    func request(_ orderID: OrderID, _ processing: AuthorizationRequest.Processing) -> AuthorizationRequest? {
        guard let card = card.card else { return nil }
        return AuthorizationRequest(
            orderID: orderID, purpose: purpose, processing: processing, amount: amount, timestamp: timestamp, terminalID: terminalID,
            card: card, terms: terms, secureCard: secureCard?.secureCard)
    }
}

extension StoredPayment: CustomStringConvertible, CustomReflectable {
    public var description: String { "stored payment of \(amount)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The card of a stored payment.
struct StoredCard: Sendable, Codable {
    let entryMode: CapturedCard.EntryMode
    /// ASCII digits; nil where the reader keeps the number to itself.
    let pan: String?
    let expiry: String?
    let panSequenceNumber: UInt8?
    let cardholderName: String?
    /// Of a stripe, ASCII.
    let track2: String?
    let encryptedTracks: EncryptedTracks?
    /// The data objects of an EMV transaction, BER-TLV coded in hexadecimal.
    let chip: String?

    init?(_ card: PaymentCard) {
        switch card {
        case .captured(let card):
            let isStripe = card.chip == nil
            self.init(
                entryMode: card.entryMode, pan: card.pan.map { String(decoding: $0.revealed(), as: UTF8.self) }, expiry: card.expiry,
                panSequenceNumber: card.panSequenceNumber, cardholderName: card.cardholderName,
                track2: isStripe ? card.track2.map { String(decoding: $0.revealed(), as: UTF8.self) } : nil,
                encryptedTracks: card.encryptedTracks, chip: card.chip?.field55(for: .advice).hex)
        case .keyed(let card, _):
            self.init(
                entryMode: .keyed, pan: String(decoding: card.pan.revealed(), as: UTF8.self), expiry: card.expiry.yymm,
                panSequenceNumber: nil,
                cardholderName: card.cardholderName, track2: nil, encryptedTracks: nil, chip: nil)
        case .token: return nil
        }
    }

    private init(
        entryMode: CapturedCard.EntryMode, pan: String?, expiry: String?, panSequenceNumber: UInt8?, cardholderName: String?,
        track2: String?,
        encryptedTracks: EncryptedTracks?, chip: String?
    ) {
        self.entryMode = entryMode
        self.pan = pan
        self.expiry = expiry
        self.panSequenceNumber = panSequenceNumber
        self.cardholderName = cardholderName
        self.track2 = track2
        self.encryptedTracks = encryptedTracks
        self.chip = chip
    }

    /// Nil if what is stored is no card.
    var card: PaymentCard? {
        if entryMode == .keyed {
            guard let pan, let expiry = expiry.flatMap({ ExpiryDate(yymm: $0) }),
                let card = try? CardDetails(pan: SecretBytes(pan.utf8), expiry: expiry, cardholderName: cardholderName)
            else { return nil }
            return .keyed(card, cvv: nil)
        }
        let elements = chip.flatMap { text in (try? [UInt8](hex: text)).flatMap { try? DataElements(parsing: $0) } }
        return .captured(
            CapturedCard(
                entryMode: entryMode, pan: pan.map { SecretBytes($0.utf8) }, expiry: expiry, panSequenceNumber: panSequenceNumber,
                cardholderName: cardholderName, track2: track2.map { SecretBytes($0.utf8) }, encryptedTracks: encryptedTracks,
                chip: elements.map { ChipData(elements: $0) }))
    }
}

/// The wish to keep the card of a stored payment.
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
