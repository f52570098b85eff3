import CardCapture
import EMVKernel
import Foundation
import Testing

@testable import PaymentTerminal

@Suite("One order's operation is a value, and every course of it can be tried") struct OrderFlowTests {
    private static func configuration() -> Terminal.Configuration {
        var configuration = Terminal.Configuration(merchantName: "Shop", terminalID: "BENCH001", currency: .euro)
        configuration.offline.deferredAuthorization = [.keyed, .magneticStripe]
        return configuration
    }

    /// An operation, by the name of its kind.
    private static func flow(
        _ kind: String, allowsPartialApproval: Bool = false, takesWithoutHost: Bool = false, isJournaled: Bool = false
    ) throws -> OrderFlow {
        let amount = Money(minorUnits: FlowExplorer.whole, currency: .euro)
        let keeping = isJournaled ? JournaledOrder.Keeping.journaled : .new
        let configuration = configuration()
        let referenced = ReferencedRequest(
            orderID: "o1", original: "U0", amount: amount, timestamp: noon, terminalID: "BENCH001")
        func order(_ entry: JournalEntry) -> JournaledOrder { JournaledOrder(entry: entry, keeping: keeping) }
        switch kind {
        case "refund":
            let entry = JournalEntry(referenced, .refund, key: nil, digest: [])
            return OrderFlow(.refund(referenced), order(entry), configuration)
        case "capture":
            let entry = JournalEntry(referenced, .capture, key: nil, digest: [])
            return OrderFlow(.capture(referenced), order(entry), configuration)
        case "verification", "registration":
            let entry = JournalEntry(
                orderID: .verification(), key: nil, operation: .registerSecureCard, digest: [],
                amount: Money(minorUnits: 0, currency: .euro), timestamp: noon)
            return OrderFlow(
                .registration(isVerified: kind == "verification"), JournaledOrder(entry: entry, keeping: .nowhere),
                configuration)
        default:
            let isRead = kind == "reader"
            let terms = PaymentTerms(
                channel: isRead ? .cardPresent : .eCommerce, allowsPartialApproval: allowsPartialApproval)
            let payment = Payment(
                Sale(
                    orderID: "o1", amount: amount,
                    source: isRead ? .reader : .keyed(try keyedCard(), cvv: nil), terms: terms))
            let entry = JournalEntry(payment, digest: [], needsCard: isRead, at: noon)
            return OrderFlow(
                .payment(payment, reader: isRead ? "Reader" : nil), order(entry), configuration,
                takesWithoutHost: takesWithoutHost)
        }
    }

    private static func explored() throws -> FlowExplorer {
        var explorer = FlowExplorer()
        for kind in ["reader", "keyed"] {
            for number in 0..<3 {
                explorer.explore(
                    try flow(
                        kind, allowsPartialApproval: number == 1, takesWithoutHost: number > 0, isJournaled: number == 2
                    ))
            }
        }
        for kind in ["refund", "capture", "verification", "registration"] { explorer.explore(try flow(kind)) }
        return explorer
    }

    @Test("in no state that can be reached is the caller told what is not so") func everyCourse() throws {
        let explorer = try Self.explored()
        print(
            "\(explorer.states) states of one order's operation, \(explorer.steps) steps, \(explorer.ends) ends, \(explorer.transitions.count) pairs of step and event"
        )
        #expect(explorer.violations.isEmpty, "\(Set(explorer.violations).sorted().prefix(12).joined(separator: "\n"))")
        #expect(explorer.states > 1000)
    }

    @Test("an event that comes when it cannot come changes nothing") func everyPair() throws {
        var explorer = try Self.explored()
        explorer.tryOtherEvents()
        #expect(explorer.violations.isEmpty, "\(Set(explorer.violations).sorted().prefix(12).joined(separator: "\n"))")
        #expect(explorer.others.count > 50)
    }

    /// `tools/flow` writes the page.
    @Test("docs/order-flow.md shows what follows each event in each step") func page() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/order-flow.md")
        let page = try String(contentsOf: file, encoding: .utf8)
        let head = "| step | event | what may follow |"
        let parts = page.components(separatedBy: head)
        try #require(parts.count == 2)
        let drawn = ([parts[0] + head, "|---|---|---|"] + (try Self.explored().table)).joined(separator: "\n") + "\n"
        if ProcessInfo.processInfo.environment["CARDPRESENT_WRITE_PAGES"] != nil {
            try drawn.write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(page == drawn, "run tools/flow, and read what has changed")
    }
}
