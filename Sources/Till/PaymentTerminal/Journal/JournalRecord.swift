import Bytes
import CardCapture
import FoundationEssentials

/// The JSON form of an entry, version 2 or 3, without the card's secrets. Names are short and
/// derivable values are left out, because every payment is kept for months.
struct JournalRecord: Codable {
    private var order: OrderID
    private var key: IdempotencyKey?
    private var operation: TerminalOperation
    private var digest: Data
    private var amount: Money
    private var tip: Money?
    private var serviceCharge: Money?
    private var taxes: [TaxLine]?
    private var timestamp: Timestamp
    private var allowsPartialApproval: Bool?
    private var needsCard: Bool?
    private var original: String?
    private var stage: JournalEntry.Stage
    private var card: CardSummary?
    private var entryMode: CapturedCard.EntryMode?
    private var cardDigest: Data?
    private var answer: AuthorizationResponse?
    private var response: Response?
    private var due: Due?
    private var secureCard: SecureCardChange?
    private var isReferred: Bool?

    private enum CodingKeys: String, CodingKey {
        case order = "o"
        case key = "k"
        case operation = "op"
        case digest = "d"
        case amount = "a"
        case tip
        case serviceCharge = "sc"
        case taxes = "tx"
        case timestamp = "t"
        case allowsPartialApproval = "pa"
        case needsCard = "nc"
        case original = "of"
        case stage = "s"
        case card = "c"
        case entryMode = "em"
        case cardDigest = "cd"
        case answer = "an"
        case response = "r"
        case due
        case secureCard = "sec"
        case isReferred = "rf"
    }

    init(_ entry: JournalEntry) {
        order = entry.orderID
        key = entry.key
        operation = entry.operation
        digest = Data(entry.digest)
        amount = entry.amount
        tip = entry.tip
        serviceCharge = entry.serviceCharge
        taxes = entry.taxes.isEmpty ? nil : entry.taxes
        timestamp = entry.timestamp
        allowsPartialApproval = entry.allowsPartialApproval ? true : nil
        needsCard = entry.needsCard ? true : nil
        original = entry.original
        stage = entry.stage
        card = entry.card
        entryMode = entry.entryMode
        cardDigest = entry.cardDigest.map { Data($0) }
        answer = entry.answer
        response = entry.response.map { Response($0, of: entry) }
        due = entry.due.map { Due($0) }
        secureCard = entry.secureCard
        isReferred = entry.isReferred ? true : nil
    }

    func entry(secrets: [StoredCard.Secret: SecretBytes]) throws(JournalError) -> JournalEntry {
        var entry = JournalEntry(
            orderID: order, key: key, operation: operation, digest: Array(digest), amount: amount, tip: tip,
            serviceCharge: serviceCharge,
            taxes: taxes ?? [], timestamp: timestamp, allowsPartialApproval: allowsPartialApproval ?? false,
            needsCard: needsCard ?? false, original: original, stage: stage)
        entry.card = card
        entry.entryMode = entryMode
        entry.cardDigest = cardDigest.map { Array($0) }
        entry.answer = answer
        entry.response = response?.response(of: entry)
        entry.due = try due?.due(secrets)
        entry.secureCard = secureCard
        entry.isReferred = isReferred ?? false
        return entry
    }
}

extension JournalRecord {
    /// The response, without data that the entry already has.
    private struct Response: Codable {
        private var outcome: PaymentResponse.Outcome
        private var reversal: PaymentResponse.Reversal?
        private var description: String
        private var responseCode: String?
        private var approvalCode: String?
        private var uniqueReference: String?
        private var authorizedAmount: Money?
        private var checks: CardholderChecks?
        private var unsentFields: [PaymentField]?
        private var card: CardSummary?
        private var entryMode: CapturedCard.EntryMode?
        private var emvTags: Data?
        private var verifiedPIN: Bool?
        private var secureCardReference: SecureCardReference?
        private var receipt: ReceiptPart

        private enum CodingKeys: String, CodingKey {
            case outcome = "o"
            case reversal = "rv"
            case description = "ds"
            case responseCode = "rc"
            case approvalCode = "ac"
            case uniqueReference = "u"
            case authorizedAmount = "a"
            case checks = "ch"
            case unsentFields = "uf"
            case card = "c"
            case entryMode = "em"
            case emvTags = "e"
            case verifiedPIN = "vp"
            case secureCardReference = "sr"
            case receipt = "rp"
        }

        init(_ response: PaymentResponse, of entry: JournalEntry) {
            outcome = response.outcome
            reversal = response.reversal == .none ? nil : response.reversal
            description = response.description
            responseCode = response.responseCode
            approvalCode = response.approvalCode
            uniqueReference = response.uniqueReference
            authorizedAmount = response.authorizedAmount
            checks = response.checks == CardholderChecks() ? nil : response.checks
            unsentFields = response.unsentFields
            card = response.card == entry.card ? nil : response.card
            entryMode = response.entryMode == entry.entryMode ? nil : response.entryMode
            emvTags = response.emvTags.flatMap { try? Data([UInt8](hex: $0)) }
            verifiedPIN = response.verifiedPIN
            secureCardReference = response.secureCardReference
            receipt = ReceiptPart(response)
        }

        func response(of entry: JournalEntry) -> PaymentResponse {
            let card = card ?? entry.card
            let entryMode = entryMode ?? entry.entryMode
            return PaymentResponse(
                orderID: entry.orderID, operation: entry.operation, outcome: outcome, reversal: reversal ?? .none,
                description: description, responseCode: responseCode, approvalCode: approvalCode,
                uniqueReference: uniqueReference,
                authorizedAmount: authorizedAmount, checks: checks ?? CardholderChecks(), unsentFields: unsentFields,
                card: card,
                entryMode: entryMode,
                emvTags: emvTags.map { $0.hex }, verifiedPIN: verifiedPIN, secureCardReference: secureCardReference,
                timestamp: entry.timestamp,
                boxedReceipt: Boxed(receipt.receipt(of: entry, outcome, card, entryMode)))
        }
    }

    /// The data of a receipt that the response does not have.
    private struct ReceiptPart: Codable {
        private var merchantName: String
        private var terminalID: String
        private var amount: Money?
        private var approvalCode: String?
        private var chip: Receipt.ChipLines?
        private var requiresSignature: Bool?
        private var signature: Signature?

        private enum CodingKeys: String, CodingKey {
            case merchantName = "m"
            case terminalID = "t"
            case amount = "a"
            case approvalCode = "ac"
            case chip = "c"
            case requiresSignature = "sw"
            case signature = "s"
        }

        init(_ response: PaymentResponse) {
            let receipt = response.receipt
            merchantName = receipt.merchantName
            terminalID = receipt.terminalID
            amount = receipt.amount == receipt.requested ? nil : receipt.amount
            approvalCode = receipt.approvalCode
            chip = receipt.chip
            requiresSignature = receipt.requiresSignature ? true : nil
            signature = receipt.signature
        }

        func receipt(
            of entry: JournalEntry, _ outcome: PaymentResponse.Outcome, _ card: CardSummary?,
            _ entryMode: CapturedCard.EntryMode?
        ) -> Receipt {
            Receipt(
                merchantName: merchantName, terminalID: terminalID, timestamp: entry.timestamp, orderID: entry.orderID,
                operation: entry.operation, amount: amount ?? entry.amount, requested: entry.amount, tip: entry.tip,
                serviceCharge: entry.serviceCharge, taxes: entry.taxes, outcome: outcome, card: card,
                entryMode: entryMode,
                approvalCode: approvalCode, chip: chip, requiresSignature: requiresSignature ?? false,
                signature: signature)
        }
    }

    private enum Due: Codable {
        case confirmation(Data)
        case reversal(ReversalReason)
        case reversalIfOurs(ReversalReason)
        case advice(StoredPayment.Public)
        case declineAdvice(StoredPayment.Public)
        case authorization(StoredPayment.Public)
        case inquiry

        init(_ due: JournalEntry.Due) {
            switch due {
            case .confirmation(let chipData): self = .confirmation(Data(chipData))
            case .reversal(let reason): self = .reversal(reason)
            case .reversalIfOurs(let reason): self = .reversalIfOurs(reason)
            case .advice(let payment): self = .advice(payment.public)
            case .declineAdvice(let payment): self = .declineAdvice(payment.public)
            case .authorization(let payment): self = .authorization(payment.public)
            case .inquiry: self = .inquiry
            }
        }

        func due(_ secrets: [StoredCard.Secret: SecretBytes]) throws(JournalError) -> JournalEntry.Due {
            switch self {
            case .confirmation(let chipData): .confirmation(chipData: Array(chipData))
            case .reversal(let reason): .reversal(reason)
            case .reversalIfOurs(let reason): .reversalIfOurs(reason)
            case .advice(let payment): .advice(StoredPayment(payment, secrets))
            case .declineAdvice(let payment): .declineAdvice(StoredPayment(payment, secrets))
            case .authorization(let payment): .authorization(StoredPayment(payment, secrets))
            case .inquiry: .inquiry
            }
        }
    }
}
