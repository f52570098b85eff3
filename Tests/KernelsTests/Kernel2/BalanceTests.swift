import Bytes
import Contactless
import EMVKernel
import Kernels
import SmartCard
import TLV
import Testing

/// The card of a capture, with application capabilities and a balance beside what it gave.
@Suite("The offline balance of a card is read") struct BalanceTests {
    /// - Parameter capabilities: Tag `9F5D`; nil for the capture's own answer to SELECT.
    private func tap(_ capabilities: String? = "100200", balance: String = "9F5006000000012345") throws -> MastercardTap
    {
        var tap = try MastercardTap()
        tap.kernel.readsBalanceBefore = true
        tap.kernel.readsBalanceAfter = true
        if let capabilities {
            let value = try [UInt8](hex: capabilities)
            let information = tlv(.fciTemplate) { template in
                template.append(.dfName, [0xA0, 0x00, 0x00, 0x00, 0x04, 0x10, 0x10])
                template.append(.fciProprietaryTemplate) { proprietary in
                    // The capture's list, whose values its card has signed.
                    proprietary.append(.pdol, [0x9F, 0x5C, 0x08, 0x9F, 0x40, 0x05])
                    proprietary.append(.fciIssuerDiscretionaryData) { $0.append(0x9F5D, value) }
                }
            }
            tap.answers.append(("00A4040007A0000000041010", information.hex + "9000"))
        }
        tap.answers.append(("80CA9F50", balance.isEmpty ? "" : balance + "9000"))
        return tap
    }

    private static let before: TLV.Tag = 0xDF8104
    private static let after: TLV.Tag = 0xDF8105

    @Test("before and after the cryptogram, for the acquirer and the display") func both() throws {
        let run = try tap().run()
        #expect(run.outcome.status == .approved)
        #expect(
            run.sent.filter { $0.hasPrefix("80") }.map { String($0.prefix(4)) } == ["80A8", "80CA", "80AE", "80CA"])
        for tag in [Self.before, Self.after] { #expect(run.outcome.discretionaryData[tag]?.hex == "000000012345") }
        // Tag 9F42 of the capture: 0978.
        #expect(run.outcome.onOutcome?.value == .balance(123_45, currency: 978))
    }

    @Test("each of the two as the reader is set") func configured() throws {
        for (before, after, commands) in [
            (true, false, ["80A8", "80CA", "80AE"]), (false, true, ["80A8", "80AE", "80CA"]),
            (false, false, ["80A8", "80AE"]),
        ] {
            var tap = try tap()
            (tap.kernel.readsBalanceBefore, tap.kernel.readsBalanceAfter) = (before, after)
            let run = try tap.run()
            #expect(run.sent.filter { $0.hasPrefix("80") }.map { String($0.prefix(4)) } == commands)
            #expect(run.outcome.discretionaryData.contains(Self.before) == before)
            #expect(run.outcome.discretionaryData.contains(Self.after) == after)
        }
    }

    @Test("a card without a balance is not asked", arguments: [nil, "100000", "1002", "10020000"] as [String?])
    func withoutBalance(_ capabilities: String?) throws {
        let run = try tap(capabilities).run()
        #expect(run.outcome.status == .approved)
        #expect(!run.sent.contains { $0.hasPrefix("80CA") })
    }

    @Test(
        "an invalid answer changes nothing else",
        arguments: ["6A88", "9F500500000001239000", "9F50060000000A00009000", "9F36060000000123459000", "FF9000"])
    func invalidAnswers(_ answer: String) throws {
        var tap = try tap()
        tap.answers = tap.answers.map { $0.prefix == "80CA9F50" ? ($0.prefix, answer) : $0 }
        let run = try tap.run()
        #expect(run.outcome.status == .approved)
        #expect(run.outcome.onOutcome?.value == nil)
        #expect(!run.outcome.discretionaryData.contains(Self.before))
        #expect(!run.outcome.discretionaryData.contains(Self.after))
    }

    @Test("a card that leaves before the cryptogram is presented again, one that leaves after it has paid") func lost()
        throws
    {
        var tap = try tap(balance: "")
        #expect(try tap.run().outcome.reason == .presentedTooOften)
        tap.kernel.readsBalanceBefore = false
        #expect(try tap.run().outcome.status == .approved)
    }
}
