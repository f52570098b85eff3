import Contactless
import EMVKernel
import SmartCard
import TLV
import Testing
import VirtualCard
import VirtualTap

/// The kernel of docs/writing-a-kernel.md, with a virtual card of no payment system.
@Suite("The domestic kernel of docs/writing-a-kernel.md") struct WritingAKernelTests {
    private static let aid: [UInt8] = [0xF0, 0x00, 0x00, 0x00, 0x01, 0x00, 0x09]

    private func tap(_ profile: (inout CardProfile) -> Void = { _ in }) throws -> VirtualTap {
        var style = CardProfile.americanExpressStyle()
        style.applications = [CardApplication(aid: Self.aid, label: "DOMESTIC")]
        profile(&style)
        let combination = try #require(
            domesticCombination(aid: Self.aid, limits: TransactionLimits(transactionLimit: 100_00)))
        return try VirtualTap(style, [combination])
    }

    /// Tag `9F2A` in the entry of the directory.
    private static func naming(_ kernel: [UInt8]) -> (CommandAPDU, ResponseAPDU) -> ResponseAPDU {
        { command, answer in
            guard command.instruction == .select, command.data == Array("2PAY.SYS.DDF01".utf8) else { return answer }
            return ResponseAPDU(
                tlv(.fciTemplate) { fci in
                    fci.append(.dfName, command.data)
                    fci.append(.fciProprietaryTemplate) { proprietary in
                        proprietary.append(.fciIssuerDiscretionaryData) { data in
                            data.append(.applicationTemplate) { entry in
                                entry.append(.adfName, aid)
                                entry.append(.kernelIdentifier, kernel)
                            }
                        }
                    }
                })
        }
    }

    @Test("The issuer recomputes the cryptogram of every payment") func online() async throws {
        let tap = try tap()
        let run = try await tap.run()
        #expect(run.outcome.status == .onlineRequest)
        #expect(run.asked == 0x80)
        #expect(try tap.isRight(run.outcome))
    }

    @Test("The card names the kernel in its directory; another number is not this one") func identifier() async throws {
        var tap = try tap()
        tap.change = Self.naming([0xC1, 0x00, 0x01])
        #expect(try await tap.run().outcome.status == .onlineRequest)
        tap.change = Self.naming([0xC1, 0x00, 0x02])
        #expect(try await tap.run().outcome.reason == .termination(.emptyCandidateList))
    }

    @Test("Declined, refused, torn, too much, and answers that cannot be") func others() async throws {
        #expect(try await tap { $0.riskRule.declinesAbove = 1_00 }.run().outcome.status == .declined)
        var tap = try tap()
        tap.request.amount = 100_00
        #expect(try await tap.run().outcome.reason == .notAllowed)
        tap.request.amount = 1_00
        tap.faults = [CardFault(.silence, at: .command(.generateAC, occurrence: 1))]
        #expect(try await tap.run().outcome.status == .onlineRequest)
        tap.faults = []
        for instruction in [Instruction.getProcessingOptions, .readRecord, .generateAC] {
            tap.change = { $0.instruction == instruction ? ResponseAPDU([0x77, 0x01]) : $1 }
            #expect(try await tap.run().outcome.status == .endApplication, "\(instruction.name)")
        }
        tap.change = { $0.instruction == .getProcessingOptions ? ResponseAPDU(status: 0x6984) : $1 }
        #expect(try await tap.run().outcome.status == .tryAnotherInterface)
    }
}
