import CardCapture
import PaymentTerminal
import TLV
import Testing

@testable import EMVKernel

@Suite struct ApplicationChoiceTests {
    private func candidate(_ label: String, _ number: UInt8) -> Candidate {
        var data = DataElements()
        data[.applicationLabel] = Array(label.utf8)
        return Candidate(name: [0xA0, 0, 0, 0, 0x03, 0x10, number], from: data, application: 0)
    }

    private func chosen(_ answer: (ApplicationRequest) -> Void) async throws -> Int? {
        let cardholder = TerminalCardholder(pinPad: nil, capabilities: [.codeTable1], limit: .milliseconds(100))
        let terminal = try await terminal(FakeHost())
        let events = terminal.eventStream()
        try await terminal.connect(FakeReader(obedient: chipCard()), cardholder: cardholder)
        let candidates = [candidate("VISA CREDIT", 1), candidate("VISA DEBIT", 2)]
        async let choice = cardholder.chooseApplication(candidates)
        for await event in events {
            guard case .applicationRequired(let request) = event.content else { continue }
            #expect(request.names == ["VISA CREDIT", "VISA DEBIT"])
            answer(request)
            break
        }
        return await choice
    }

    @Test("A35: the cardholder chooses by index; the first answer counts", .timeLimit(.minutes(20))) func chooses()
        async throws
    {
        let choice = try await chosen { request in
            #expect(request.choose(1))
            #expect(!request.choose(0))
        }
        #expect(choice == 1)
    }

    @Test("A35: no such application, or a cancel, ends the transaction", .timeLimit(.minutes(20))) func refuses()
        async throws
    {
        #expect(try await chosen { $0.choose(2) } == nil)
        #expect(try await chosen { $0.cancel() } == nil)
    }

    @Test("A53: no choice within the time limit: the transaction ends", .timeLimit(.minutes(20))) func timesOut()
        async throws
    {
        #expect(try await chosen { _ in } == nil)
    }

    @Test("A35: a reader with a kernel and no display asks by the names alone", .timeLimit(.minutes(20)))
    func namesAlone() async throws {
        let cardholder = TerminalCardholder(pinPad: nil, capabilities: [])
        let terminal = try await terminal(FakeHost())
        let events = terminal.eventStream(of: [.question])
        try await terminal.connect(FakeReader(obedient: chipCard()), cardholder: cardholder)
        async let choice = cardholder.choose(["GIROCARD", "MAESTRO"])
        for await event in events {
            guard case .applicationRequired(let request) = event.content else { continue }
            #expect(request.names == ["GIROCARD", "MAESTRO"])
            request.choose(1)
            break
        }
        #expect(await choice == 1)
    }

    @Test("the terminal's own limit of an amount") func maximum() async throws {
        let host = FakeHost()
        let terminal = try await terminal(host) { $0.maximumAmount = Money(minorUnits: 5000, currency: .euro) }
        let error = await #expect(throws: TerminalError.self) {
            try await terminal.processSale(
                Sale(orderID: OrderID("o1"), amount: euros("50.01"), source: .secureCard(FakeHost.token)))
        }
        #expect(error?.message == "the terminal accepts at most 50.00 EUR")
        #expect(
            try await terminal.processSale(
                Sale(orderID: OrderID("o2"), amount: euros("50.00"), source: .secureCard(FakeHost.token))
            )
            .outcome == .approved)
    }
}
