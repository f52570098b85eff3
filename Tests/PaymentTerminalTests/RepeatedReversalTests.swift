import CardCapture
import PaymentTerminal
import Synchronization
import Testing

/// A reversal whose answer was lost may have been carried out: then its repetition is refused.
@Suite("A refused repetition of a reversal") struct RepeatedReversalTests {
    /// A host that has approved the order, loses the answer to the first reversal, and refuses the
    /// second.
    private func host() throws -> FakeHost {
        let host = FakeHost()
        let amount = try euros("1.00")
        var record = TransactionRecord(
            orderID: "o1", uniqueReference: "U1", kind: .sale, state: .approved, amount: amount)
        record.timestamp = noon
        let listed = [record]
        let reversals = Mutex(0)
        host.play {
            $0.transactions = listed
            $0.status = { _ in
                .decided(
                    AuthorizationResponse(
                        uniqueReference: "U1", issuer: IssuerAnswer.Answer(responseCode: "00", approvalCode: "123456"),
                        authorizedAmount: amount, message: ""))
            }
            $0.advice = { _ throws(HostError) in
                let count = reversals.withLock { count in
                    count += 1
                    return count
                }
                throw count == 1 ? HostError(.noAnswer, "no answer") : HostError(.notAllowed, "reversed already")
            }
        }
        return host
    }

    @Test("leaves the payment open while the host's record may be late, and then counts", arguments: [true, false])
    func late(_ mayBeLate: Bool) async throws {
        let (host, journal) = (try host(), MemoryJournal())
        let terminal = try await terminal(host, journal: journal) {
            $0.limits.transit = mayBeLate ? .seconds(3600) : .zero
        }
        let sale = Sale(
            orderID: "o1", amount: try euros("1.00"), source: .keyed(try keyedCard(), cvv: nil),
            terms: PaymentTerms(channel: .mailOrTelephone))
        #expect(try await terminal.processSale(sale).outcome == .approved)
        _ = try? await terminal.reverse("o1")
        #expect(try await journal.openEntries().count == 1, "the first has no answer")
        _ = try await terminal.recoverPending()
        #expect(try await journal.openEntries().count == (mayBeLate ? 1 : 0))
        #expect(try await terminal.journaled().map(\.outcome) == (mayBeLate ? [.reversed(.requested)] : [.approved]))
    }
}
