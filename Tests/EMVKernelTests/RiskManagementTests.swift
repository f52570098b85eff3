import Bytes
import KernelDoubles
import TLV
import Testing

@testable import EMVKernel

/// EMV 4.4 Book 3, 10.6. TVR byte 4: floor limit 80, lower 40 and upper 20 limit, random 10, forced
/// online 08 (annex C5).
@Suite struct RiskManagementTests {
    private func amount(
        _ amount: UInt64, earlier: UInt64 = 0, floor: UInt64 = 10_000, target: Int = 0, maximum: Int = 0,
        threshold: UInt32 = 0,
        draw: Int = 99
    ) -> String {
        RiskManagement.checkAmount(
            amount, earlierAmount: earlier, floorLimit: floor,
            selection: RandomSelection(targetPercentage: target, maximumPercentage: maximum, threshold: threshold),
            draw: draw
        ).description
    }

    @Test("10.6.1: equal to the limit exceeds it; so does what a split sale adds up to") func floorLimit() {
        #expect(amount(9_999) == "0000000000")
        #expect(amount(10_000) == "0000008000")
        #expect(amount(10_001) == "0000008000")
        #expect(amount(0, floor: 0) == "0000008000")
        #expect(amount(5_000, earlier: 4_999) == "0000000000")
        #expect(amount(5_000, earlier: 5_000) == "0000008000")
        #expect(amount(1, earlier: .max) == "0000008000", "no overflow")
    }

    /// 10.6.2: below the threshold a number up to the target selects.
    @Test func randomSelectionBelowTheThreshold() {
        #expect(amount(4_999, target: 20, maximum: 80, threshold: 5_000, draw: 20) == "0000001000")
        #expect(amount(4_999, target: 20, maximum: 80, threshold: 5_000, draw: 21) == "0000000000")
        #expect(amount(100, target: 0, maximum: 0, threshold: 5_000, draw: 1) == "0000000000")
        #expect(amount(100, target: 99, maximum: 99, threshold: 5_000, draw: 99) == "0000001000")
    }

    /// 10.6.2: from the threshold on the percentage is (maximum − target) × (amount − threshold) /
    /// (floor limit − threshold) + target. With 20, 80, 5000 and 10000: at 5000 it is 20, at 7500
    /// it is 50, at 9999 it is 79.988.
    @Test(
        "Above the threshold the percentage grows with the amount",
        arguments: [(5_000, 20), (7_500, 50), (9_999, 79), (6_250, 35)] as [(UInt64, Int)])
    func biasedSelection(_ value: UInt64, _ percentage: Int) {
        #expect(amount(value, target: 20, maximum: 80, threshold: 5_000, draw: percentage) == "0000001000")
        #expect(amount(value, target: 20, maximum: 80, threshold: 5_000, draw: percentage + 1) == "0000000000")
    }

    /// 10.6.2 speaks of amounts below the floor limit; what exceeds it is not selected as well.
    @Test func noSelectionAboveTheFloorLimit() {
        #expect(amount(10_000, target: 99, maximum: 99, draw: 1) == "0000008000")
    }

    /// A threshold at or above the floor limit leaves no room for a bias.
    @Test func thresholdAtTheFloorLimit() {
        #expect(amount(9_999, target: 10, maximum: 90, threshold: 10_000, draw: 10) == "0000001000")
        #expect(amount(9_999, target: 10, maximum: 90, threshold: 10_000, draw: 11) == "0000000000")
    }

    @Test(
        "10.6.3: ATC − last online ATC against both limits; more than a limit exceeds it",
        arguments: [
            (5, 3, "0000000000"), (6, 3, "0000004000"), (8, 3, "0000004000"), (9, 3, "0000006000"),
            // Not greater: both exceeded.
            (3, 3, "0000006000"), (2, 3, "0000006000"),
            // Never online: new card, TVR byte 2, 08.
            (1, 0, "0008000000"), (3, 0, "0008004000"), (6, 0, "0008006000"), (0, 0, "0008006000"),
            // What the card does not give is "ICC data missing" besides (7.5, table 35).
            (nil, 3, "2000006000"), (3, nil, "2000006000"), (nil, nil, "2000006000"), (nil, 0, "2008006000"),
            (0xFFFF, 0xFFFE, "0000000000"),
        ] as [(UInt16?, UInt16?, String)])
    func velocity(_ atc: UInt16?, _ lastOnline: UInt16?, _ expected: String) {
        #expect(
            RiskManagement.checkVelocity(lowerLimit: 2, upperLimit: 5, atc: atc, lastOnlineATC: lastOnline).description
                == expected)
    }
}

/// The same through the kernel: what is asked of the card and the terminal, and when.
@Suite struct RiskManagementFlowTests {
    /// AIP 0800: terminal risk management is to be performed.
    private func image(lower: String? = nil, upper: String? = nil, atc: String = "6A88", lastOnline: String = "6A88")
        -> CardImage
    {
        var image = CardImage()
        image.aip = "0800"
        image["9F14"] = lower
        image["9F23"] = upper
        image.pairs = [("80CA9F3600", atc), ("80CA9F1300", lastOnline)]
        return image
    }

    @Test func limitsOnTheCardMakeItBeAskedForItsCounters() async {
        let (run, sent) = await KernelBench().run(
            image(lower: "02", upper: "05", atc: "9F360200109000", lastOnline: "9F1302000D9000"), sent: "80CA")
        #expect(sent == ["80CA9F3600", "80CA9F1300"])
        #expect(run.tvr == "8000004000")
        #expect(run.outcome.tsi.contains(.terminalRiskManagement))
        let new = await KernelBench().run(
            image(lower: "02", upper: "05", atc: "9F360200019000", lastOnline: "9F130200009000"))
        #expect(new.tvr == "8008000000")
    }

    /// 10.6.3: without both limits the check is not made.
    @Test(arguments: [("02", nil), (nil, "05"), (nil, nil)] as [(String?, String?)])
    func noLimitsNoCheck(_ lower: String?, _ upper: String?) async {
        let (run, sent) = await KernelBench().run(image(lower: lower, upper: upper), sent: "80CA")
        #expect(sent.isEmpty)
        #expect(run.tvr == "8000000000")
    }

    @Test(arguments: ["6A88", "9000", "9F3601109000", "9F13020010" + "9000", "FF" + "9000", "00109000"])
    func counterThatCannotBeRead(_ answer: String) async {
        let run = await KernelBench().run(image(lower: "02", upper: "05", atc: answer, lastOnline: "9F1302000F9000"))
        #expect(run.tvr == "A000006000")
    }

    /// 10.6: it is performed regardless of the AIP.
    @Test func regardlessOfTheProfile() async {
        var card = image(lower: "02", upper: "05", atc: "9F360200109000", lastOnline: "9F1302000D9000")
        card.aip = "0000"
        var bench = KernelBench()
        bench.request.amount = 60_00
        let (run, sent) = await bench.run(card, sent: "80CA")
        #expect(sent == ["80CA9F3600", "80CA9F1300"])
        #expect(run.tvr == "800000C000")
        #expect(run.outcome.tsi.contains(.terminalRiskManagement))
    }

    /// 10.6: a cardholder's own device may do without, and random selection is for terminals with a
    /// choice.
    @Test func terminalsThatDoWithout() async {
        var bench = KernelBench()
        bench.request.amount = 60_00
        bench.configuration.type = TerminalType(rawValue: 0x35)
        #expect(await bench.run(image()).tvr == "8000000000")
        bench.request.amount = 10_00
        bench.environment.percentage = 1
        bench.application { $0.randomSelection = RandomSelection(targetPercentage: 99, maximumPercentage: 99) }
        for (type, tvr) in [(0x22, "8000001000"), (0x25, "8000001000"), (0x21, "8000000000"), (0x23, "8000000000")]
            as [(UInt8, String)]
        {
            bench.configuration.type = TerminalType(rawValue: type)
            #expect(await bench.run(image()).tvr == tvr)
        }
    }

    @Test func splitSaleExceptionFileAndForcedOnline() async {
        var bench = KernelBench()
        bench.environment.earlierAmount = 40_00
        #expect(await bench.run(image()).tvr == "8000008000")
        bench.environment.earlierAmount = 39_99
        #expect(await bench.run(image()).tvr == "8000000000")
        // TVR byte 1, 10: card on exception file.
        bench.environment.isListed = { _ in true }
        #expect(await bench.run(image()).tvr == "9000000000")
        bench.environment.isListed = { _ in false }
        bench.request.forcesOnline = true
        #expect(await bench.run(image()).tvr == "8000000800")
    }

    @Test("A transaction is selected at random by its percentage") func randomSelection() async {
        var bench = KernelBench()
        bench.environment.percentage = 30
        bench.application {
            $0.randomSelection = RandomSelection(targetPercentage: 30, maximumPercentage: 30, threshold: 20_00)
        }
        #expect(await bench.run(image()).tvr == "8000001000")
        bench.environment.percentage = 31
        #expect(await bench.run(image()).tvr == "8000000000")
    }
}
