import Bytes
import CardCryptography
import EMVKernel
import EMVReplay
import SmartCard
import TLV

/// Finds unusual aspects of a conversation.
struct Oddities {
    private(set) var found: [Explanation.Oddity] = []

    init(
        _ trace: APDUTrace, transaction: LoggedTransaction, evidence: [Evidence], unread: [Explanation.Oddity],
        groups: PhaseGroups
    ) {
        found += unread.map { Explanation.Oddity(line: $0.line, text: "not read: \($0.text)") }
        for proof in evidence where proof.isDisproved { add("\(proof.subject): \(proof.detail)") }
        missingAnswers(trace)
        statuses(groups)
        cryptograms(transaction)
        terminal(transaction)
        card(transaction)
        if groups.starts > 1 {
            add("the application was started \(groups.starts) times; the last start before the first cryptogram counts")
        }
        if trace.hasHiddenDigits {
            add("digits are hidden in the log; they are read as zeros, and nothing was recomputed")
        }
    }

    private mutating func add(_ text: String, line: Int = 0) {
        found.append(Explanation.Oddity(line: line > 0 ? line : nil, text: text))
    }

    // MARK: The conversation

    private mutating func missingAnswers(_ trace: APDUTrace) {
        for (index, entry) in trace.entries.enumerated() {
            guard case .unanswered(let command) = entry.event else { continue }
            var why = "no answer"
            if case .reader(let event) = trace.entries.dropFirst(index + 1).first?.event { why = event.text }
            add("\(CommandDescription.summary(command)) got no answer: \(why)", line: entry.line)
        }
    }

    private mutating func statuses(_ groups: PhaseGroups) {
        for step in groups.runs.flatMap(\.steps) {
            if let oddity = step.source.oddity { add(oddity, line: step.line) }
        }
    }

    // MARK: The cryptograms

    private mutating func cryptograms(_ transaction: LoggedTransaction) {
        let lists = transaction.lists
        for (cryptogram, list, isFirst) in [
            (transaction.first, lists.cdol1, true), (transaction.second, lists.cdol2, false),
        ] {
            guard let cryptogram, let requested = cryptogram.requested else { continue }
            let line = cryptogram.exchange.line
            if let list, lists.elements(cryptogram.exchange.command, isFirst: isFirst) == nil {
                add(
                    "the data sent have \(cryptogram.exchange.command.data.count) bytes, the card's list asks for \(list.dataLength)",
                    line: line)
            }
            guard let answer = cryptogram.answer else { continue }
            guard let type = answer.information.type else {
                add("the card answered with a reserved type of cryptogram", line: line)
                continue
            }
            if type > requested {
                add("the card gave more than it was asked for: \(type.summary) for \(requested.summary)", line: line)
            }
            if answer.information.reason != .none {
                add("the card gives a reason: \(answer.information.reason.summary)", line: line)
            }
        }
        if let first = transaction.first?.answer, let second = transaction.second, let answer = second.answer {
            let line = second.exchange.line
            if let before = first.counter, let after = answer.counter, before != after {
                add(
                    "the card's transaction counter changes within the transaction, from \(before.hex) to \(after.hex)",
                    line: line)
            }
            if let value = answer.value, value == first.value {
                add("the card gives the same cryptogram twice", line: line)
            }
        }
        if let second = transaction.second, second.requested == .tc, second.answer?.information.type == .aac {
            add(
                "the terminal asked for a TC and the card declined: the host must reverse the authorization",
                line: second.exchange.line)
        }
        if let number = transaction.sent(.unpredictableNumber), !number.isEmpty, number.allSatisfy({ $0 == 0 }) {
            add("the unpredictable number is zero")
        }
    }

    // MARK: Terminal and card

    /// Checks that the TVR agrees with the dates.
    private mutating func terminal(_ transaction: LoggedTransaction) {
        guard let tvr = transaction.firstTVR, transaction.first?.requested != nil,
            let today = transaction.sent(.transactionDate)
        else {
            return
        }
        let checks: [(Tag, TerminalVerificationResults, Bool, String)] = [
            (.applicationExpirationDate, .expiredApplication, true, "has expired"),
            (.applicationEffectiveDate, .applicationNotYetEffective, false, "is not yet effective"),
        ]
        for (tag, bit, isPast, words) in checks {
            guard let date = transaction.card[tag].flatMap(CertificateDate.init(yymmdd:)),
                let today = CertificateDate(yymmdd: today)
            else {
                continue
            }
            let isSo = isPast ? date < today : date > today
            if isSo && !tvr.contains(bit) { add("the application \(words), and the TVR does not say so") }
            if !isSo && tvr.contains(bit) {
                add("the TVR says that the application \(words), but its date says otherwise")
            }
        }
    }

    /// Mandatory data of a card (EMV 4.4 Book 3, 7.2), and records that were not read.
    private mutating func card(_ transaction: LoggedTransaction) {
        // Records of kernel 8 are encrypted.
        guard transaction.first?.requested != nil, transaction.kernel != 8 else { return }
        let isContactless = transaction.interface == .contactless
        // Contactless cards compute one cryptogram, and a terminal need not read data that it does
        // not use.
        let mandatory: [Tag] = [.applicationExpirationDate, .applicationPAN, .cdol1] + (isContactless ? [] : [.cdol2])
        for tag in mandatory where !transaction.card.contains(tag) {
            add("the card has no \(TagDictionary[tag]?.name ?? "\(tag)")")
        }
        guard !isContactless else { return }
        let read = Set(
            transaction.conversation.exchanges.filter { $0.command.instruction == .readRecord }.map(\.command.header))
        for entry in transaction.card[.applicationFileLocator].flatMap(ApplicationFileLocator.init)?.entries ?? [] {
            for record in entry.records where !read.contains(CommandAPDU.readRecord(record, sfi: entry.sfi).header) {
                add("record \(record) of SFI \(entry.sfi) was not read although the AFL lists it")
            }
        }
    }
}
