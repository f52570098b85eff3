import Bytes
import CardCapture

/// The terminal's memory during one payment.
struct TerminalMemory: CardMemory {
    let exceptions: ExceptionFile?
    let history: CardHistory
    let journal: any TransactionJournal
    /// Earlier payments are ignored; nil ignores all payments.
    let start: Int64?

    func isOnExceptionFile(pan: [UInt8], sequenceNumber: UInt8?) -> Bool {
        exceptions?.contains(pan: SecretBytes(pan), sequenceNumber: sequenceNumber) ?? false
    }

    func amountOfLastTransaction(pan: [UInt8], sequenceNumber: UInt8?) -> UInt64 {
        guard let start else { return 0 }
        return history.amount(
            of: journal.digest(ofCard: SecretBytes(pan), sequenceNumber: sequenceNumber), since: start)
    }

    func tornTransactions() async throws(CaptureError) -> SecretBytes? {
        do throws(JournalError) { return try await journal.tornTransactions() } catch { throw .memoryFailed }
    }

    func keepTornTransactions(_ records: SecretBytes) async throws(CaptureError) {
        do throws(JournalError) { try await journal.keepTornTransactions(records) } catch { throw .memoryFailed }
    }
}

extension Terminal {
    /// The memory of cards when a payment begins.
    func memory(at timestamp: Timestamp) -> TerminalMemory {
        TerminalMemory(
            exceptions: configuration.exceptions, history: history, journal: journal,
            start: historyStart(before: timestamp))
    }

    /// Nil if split sales are not detected.
    private func historyStart(before timestamp: Timestamp) -> Int64? {
        configuration.offline.splitSaleHours.map { timestamp.secondsSince1970 - Int64($0) * 3600 }
    }

    /// Reads the recent payments of cards, after a start.
    func readHistory() async throws(TerminalError) {
        guard let start = historyStart(before: clock()) else { return }
        let latest = try await written { journal throws(JournalError) in try await journal.latest(CardHistory.capacity)
        }
        for entry in latest where entry.timestamp.secondsSince1970 >= start { history.note(entry) }
    }

    /// The card's digest in the journal; nil if the configuration does not detect split sales.
    func digest(of card: CapturedCard?) -> [UInt8]? {
        guard configuration.offline.splitSaleHours != nil, let card, let pan = card.pan else { return nil }
        return journal.digest(ofCard: pan, sequenceNumber: card.panSequenceNumber)
    }

    /// Whether the exception file lists the card. Unknown for a token, and for a number that the
    /// reader encrypts.
    func isListed(_ card: PaymentCard) -> Bool {
        guard let exceptions = configuration.exceptions else { return false }
        switch card {
        case .captured(let card):
            return card.pan.map { exceptions.contains(pan: $0, sequenceNumber: card.panSequenceNumber) } ?? false
        case .keyed(let details, _): return exceptions.contains(pan: details.pan, sequenceNumber: nil)
        case .token: return false
        }
    }
}

extension TransactionJournal {
    /// 16 bytes, the same for the same card. A number cannot be tested against it without the
    /// journal's key.
    fileprivate func digest(ofCard pan: SecretBytes, sequenceNumber: UInt8?) -> [UInt8] {
        var bytes = Array("card \(sequenceNumber.map { "\($0)" } ?? "-") ".utf8)
        var digits = pan.revealed()
        defer { wipe(&digits) }
        bytes.append(wiping: &digits)
        return Array(digest(of: SecretBytes(wiping: &bytes)).prefix(16))
    }
}
