import Contactless
import EMVKernel
import Kernels
import SmartCard
import TLV
import Testing
import VirtualCard
import VirtualTap

@Suite("American Express: what the reader tells the card") struct AmericanExpressReaderTests {
    /// Terminal type and enhanced reader capabilities, as the card's list has them.
    private func sent(_ change: (inout VirtualTap) -> Void = { _ in }) async throws -> [UInt8]? {
        var tap = try VirtualTap.americanExpress()
        change(&tap)
        return try await tap.run().data(of: .getProcessingOptions).map { Array($0.dropFirst(2)) }
    }

    @Test("Capabilities by terminal, methods and limit") func capabilities() async throws {
        // Contacts, partial online, mobile, another interface; mobile CVM, signature.
        #expect(try await sent() == [0xE2, 0x9C, 0xA0, 0x00, 0x00])
        #expect(try await sent { $0.request.amount = 50_00 } == [0xEA, 0x9C, 0xA0, 0x40, 0x00])
        #expect(
            try await sent { $0.combinations = [.americanExpress(limits: .usual, hasPINPad: true)] } == [
                0xE2, 0x9C, 0xE0, 0x00, 0x00,
            ])
        #expect(try await sent { $0.terminal.capabilities.remove(.contactChip) } == [0xE2, 0x18, 0xA0, 0x00, 0x00])
        #expect(try await sent { $0.terminal.type = .attendedOfflineOnly } == [0xE3, 0x9C, 0xA0, 0x80, 0x00])
    }

    @Test("The reader's capabilities have their own object") func readerCapabilities() async throws {
        let list = DOL(entries: [DOL.Entry(0x9F6D, 1)])
        var tap = try VirtualTap.americanExpress { $0.pdol = list }
        #expect(try await tap.run().data(of: .getProcessingOptions) == [0x83, 0x01, 0xC0])
        tap.request.amount = 60_00
        let run = try await tap.run()
        #expect(run.data(of: .getProcessingOptions) == [0x83, 0x01, 0xC8])
        #expect(run.outcome.data?.terminal[.terminalType] == [0x22])
    }
}
