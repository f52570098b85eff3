import Bytes
import CardCapture

extension JournalEntry {
    /// An entry in the form of releases before 0.2, entirely JSON.
    struct Version1: Decodable {
        private enum Due: Decodable {
            case confirmation(chipData: [UInt8])
            case reversal(ReversalReason)
            case advice(StoredPayment.Version1)
            case authorization(StoredPayment.Version1)

            var due: JournalEntry.Due {
                switch self {
                case .confirmation(let chipData): .confirmation(chipData: chipData)
                case .reversal(let reason): .reversal(reason)
                case .advice(let payment): .advice(payment.payment)
                case .authorization(let payment): .authorization(payment.payment)
                }
            }
        }

        private let orderID: OrderID
        private let key: IdempotencyKey?
        private let operation: TerminalOperation
        private let digest: [UInt8]
        private let amount: Money
        private let tip: Money?
        private let serviceCharge: Money?
        private let taxes: [TaxLine]
        private let timestamp: Timestamp
        private let allowsPartialApproval: Bool
        private let needsCard: Bool
        private let original: String?
        private let stage: Stage
        private let card: CardSummary?
        private let entryMode: CapturedCard.EntryMode?
        private let answer: AuthorizationResponse?
        private let response: PaymentResponse?
        private let due: Due?

        var entry: JournalEntry {
            var entry = JournalEntry(
                orderID: orderID, key: key, operation: operation, digest: digest, amount: amount, tip: tip, serviceCharge: serviceCharge,
                taxes: taxes, timestamp: timestamp, allowsPartialApproval: allowsPartialApproval, needsCard: needsCard,
                original: original, stage: stage)
            entry.card = card
            entry.entryMode = entryMode
            entry.answer = answer
            entry.response = response
            entry.due = due?.due
            return entry
        }
    }
}

extension StoredPayment {
    /// A stored payment of version 1: the card's secrets are strings.
    struct Version1: Decodable {
        private struct Card: Decodable {
            let entryMode: CapturedCard.EntryMode
            let pan: String?
            let expiry: String?
            let panSequenceNumber: UInt8?
            let cardholderName: String?
            let track2: String?
            let encryptedTracks: EncryptedTracks?
            let chip: String?
        }

        private let purpose: AuthorizationRequest.Purpose
        private let amount: Money
        private let timestamp: Timestamp
        private let terminalID: String
        private let terms: PaymentTerms
        private let card: Card
        private let secureCard: StoredSecureCardWish?

        var payment: StoredPayment {
            StoredPayment(
                purpose: purpose, amount: amount, timestamp: timestamp, terminalID: terminalID, terms: terms,
                card: StoredCard(
                    entryMode: card.entryMode, pan: card.pan.map { SecretBytes($0.utf8) }, expiry: card.expiry,
                    panSequenceNumber: card.panSequenceNumber, cardholderName: card.cardholderName,
                    track2: card.track2.map { SecretBytes($0.utf8) }, encryptedTracks: card.encryptedTracks, chip: card.chip),
                secureCard: secureCard)
        }
    }
}
