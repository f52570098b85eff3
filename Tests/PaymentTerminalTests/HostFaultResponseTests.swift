import CardCapture
import Foundation
import Testing

@testable import PaymentTerminal

@Suite("What a payment says of a host that is not reached") struct HostFaultResponseTests {
    @Test("a chip sale is declined for the reason that a keyed one fails for", arguments: HostError.Fault.allCases)
    func sameReason(_ fault: HostError.Fault) async throws {
        let host = FakeHost { _ throws(HostError) in
            throw HostError(.unreachable, "payments.example.com: cause and cure", fault: fault)
        }
        let terminal = try await terminal(host, reader: FakeReader(obedient: chipCard()))
        let response = try await terminal.processSale(Sale(orderID: OrderID("o1"), amount: euros("1.00")))
        #expect(response.outcome == .declined)
        #expect(response.hostFault == fault)
        #expect(response.reversal == .none)
        #expect(response.description == "payments.example.com: cause and cure, or take another payment")
        let stored = try JSONDecoder().decode(PaymentResponse.self, from: JSONEncoder().encode(response))
        #expect(stored == response, "the journal keeps it")
        let token = try Sale(orderID: OrderID("o2"), amount: euros("1.00"), source: .secureCard(FakeHost.token))
        let error = await #expect(throws: TerminalError.self) { try await terminal.processSale(token) }
        #expect(error?.hostFault == fault)
        #expect(error?.code == .hostFailed(.unreachable))
        #expect(error?.message == "payments.example.com: cause and cure")
    }

    @Test("without a known reason it says what it always said") func unknownReason() async throws {
        let host = FakeHost { _ throws(HostError) in throw HostError(.unreachable, "no network") }
        let terminal = try await terminal(host, reader: FakeReader(obedient: chipCard()))
        let response = try await terminal.processSale(Sale(orderID: OrderID("o1"), amount: euros("1.00")))
        #expect(response.hostFault == nil)
        #expect(response.description == "the host is unreachable: try again later, or take another payment")
    }
}
