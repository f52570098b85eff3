public import SmartCard
import TLV

extension APDUTrace {
    /// The boundaries of transactions: a SELECT by name after a cryptogram, or a card that is
    /// presented or reset after an application was started. A terminal may start an application
    /// twice before it requests a cryptogram, and returns to the selection if the card refuses GET
    /// PROCESSING OPTIONS.
    package var transactionRanges: [Range<Int>] {
        var ranges: [Range<Int>] = []
        var start = 0
        var (isStarted, hasCryptogram) = (false, false)
        for (place, entry) in entries.enumerated() {
            if entry.event.beginsTransaction(isStarted: isStarted, hasCryptogram: hasCryptogram) {
                ranges.append(start..<place)
                (start, isStarted, hasCryptogram) = (place, false, false)
            }
            guard case .exchange(let exchange) = entry.event else { continue }
            switch exchange.command.instruction {
            case .getProcessingOptions:
                isStarted = isStarted || exchange.response.status == .success || exchange.response.status.sw1 == 0x61
                // A contactless card returns its cryptogram here.
                if exchange.response.data.first == 0x77, LoggedCryptogram(exchange.response) != nil {
                    hasCryptogram = true
                }
            case .generateAC: hasCryptogram = true
            default: break
            }
        }
        return ranges + [start..<entries.count]
    }

    /// The transactions that ``Replay`` and ``Evidence`` take one by one, each with the head of the
    /// log: those of a contact card, and the log itself if there is one, or if it is contactless,
    /// whose presentations belong together (torn transactions, second taps). A log with a
    /// description of its terminal is one transaction of our kernel.
    public var replayedTransactions: [APDUTrace] {
        guard self["terminal"] == nil else { return [self] }
        let ranges = transactionRanges
        guard ranges.count > 1 else { return [self] }
        let conversation = LoggedConversation(self)
        guard conversation.interface(conversation.cardData) != .contactless else { return [self] }
        return ranges.map { part($0) }
    }
}

extension APDUTrace.Event {
    fileprivate func beginsTransaction(isStarted: Bool, hasCryptogram: Bool) -> Bool {
        switch self {
        case .reader(.cardPresented), .reader(.reset): isStarted
        case .exchange(let exchange): hasCryptogram && exchange.command.selectsByName
        case .unanswered(let command): hasCryptogram && command.selectsByName
        case .reader, .decision, .host, .wire: false
        }
    }
}

extension CommandAPDU {
    /// SELECT by name, first or only occurrence (EMV 4.4 Book 1, 11.3).
    fileprivate var selectsByName: Bool { instruction == .select && p1 == 0x04 && p2 & 0x03 == 0 }
}
