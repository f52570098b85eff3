private import Bytes
internal import SmartCard
internal import TLV

/// The answers to GET DATA (EMV 4.4 Book 3, 7.3).
extension ApplicationInspection {
    var counterFindings: [CardFinding] {
        var findings: [CardFinding] = []
        func odd(_ counter: CardImage.Counter, severity: CardFinding.Severity, summary: String, source: String) {
            findings.append(
                CardFinding(
                    .counters, severity: severity, place: .init(application: application.name, tag: counter.tag),
                    summary: summary,
                    source: source))
        }
        for counter in [CardImage.Counter.applicationTransactionCounter, .lastOnline, .pinTries] {
            guard let answer = application.counters[counter], answer.status == .success else { continue }
            let expected = counter == .pinTries ? 1 : 2
            if value(counter)?.count != expected {
                odd(
                    counter, severity: .warning,
                    summary: "GET DATA does not return one data object of \(expected) bytes",
                    source: "EMV 4.4 Book 3, 6.5.7")
            }
        }
        let hasLimits =
            elements.contains(.lowerConsecutiveOfflineLimit) && elements.contains(.upperConsecutiveOfflineLimit)
        for counter in [CardImage.Counter.applicationTransactionCounter, .lastOnline]
        where hasLimits && value(counter) == nil {
            odd(
                counter, severity: .warning,
                summary: "the card has consecutive offline limits, but GET DATA does not return it",
                source: "EMV 4.4 Book 3, 7.5, table 35"
            )
        }
        if let now = value(.applicationTransactionCounter), let last = value(.lastOnline), now.count == 2,
            last.count == 2,
            now.hex < last.hex
        {
            odd(
                .lastOnline, severity: .warning,
                summary: "the last online transaction is ahead of the transaction counter",
                source: "EMV 4.4 Book 3, 10.6.3")
        }
        if let tries = value(.pinTries), tries.count == 1, asksForPIN {
            if tries[0] == 0 {
                odd(
                    .pinTries, severity: .warning, summary: "no tries are left: the offline PIN is blocked",
                    source: "EMV 4.4 Book 3, 10.5.1")
            }
            if tries[0] == 1 {
                odd(.pinTries, severity: .remark, summary: "one try is left", source: "EMV 4.4 Book 3, 10.5.1")
            }
        }
        return findings
    }

    private var asksForPIN: Bool {
        let rules = elements[.cvmList].flatMap(CVMList.init)?.rules ?? []
        return rules.contains {
            [.plaintextPIN, .plaintextPINAndSignature, .encipheredPIN, .encipheredPINAndSignature].contains($0.code)
        }
    }

    /// The value in the answer to GET DATA; nil if there is none.
    private func value(_ counter: CardImage.Counter) -> [UInt8]? {
        guard let answer = application.counters[counter], answer.status == .success else { return nil }
        let parsed = ParsedAnswer(answer.data)
        guard parsed.error == nil, parsed.outermost == [counter.tag] else { return nil }
        return parsed.objects.first?.value
    }
}
