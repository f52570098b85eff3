import TLV
import Testing

@testable import EMVKernel

/// EMV 4.4 Book 3, 10.4. TVR byte 2: versions 80, expired 40, not yet effective 20, service not
/// allowed 10 (annex C5).
@Suite struct ProcessingRestrictionsTests {
    /// What is found on a card with these data objects; the terminal is in country 0056, the day is
    /// 2026-03-09.
    private func found(
        _ card: [(Tag, String)], versions: [UInt16] = [0x0096],
        type: TerminalType = .attendedOnlineWithOfflineCapability,
        _ change: (inout TransactionRequest) -> Void = { _ in }
    ) -> String? {
        var elements = DataElements()
        for (tag, value) in card { elements[tag] = bytes(value) }
        var bench = KernelBench()
        bench.configuration.type = type
        bench.configuration.additionalCapabilities.insert(.cash)
        change(&bench.request)
        return try? ProcessingRestrictions.evaluate(
            elements, request: bench.request, versions: versions, configuration: bench.configuration
        ).description
    }

    // MARK: 10.4.1

    @Test("A card without version is taken for compatible; of the terminal's versions one must be the card's")
    func applicationVersion() {
        #expect(found([]) == "0000000000")
        #expect(found([(.applicationVersionNumberCard, "0096")]) == "0000000000")
        #expect(found([(.applicationVersionNumberCard, "0097")]) == "0080000000")
        #expect(found([(.applicationVersionNumberCard, "008C")], versions: [0x0096, 0x008C]) == "0000000000")
        #expect(found([(.applicationVersionNumberCard, "0096")], versions: []) == "0080000000")
    }

    // MARK: 10.4.2

    /// Byte 1: domestic and international cash 80 40, goods 20 10, services 08 04, ATMs 02, others
    /// 01; byte 2: cashback 80 40 (annex C2).
    @Test(
        "The usage control decides by kind, amount and country",
        arguments: [
            (TransactionRequest.Kind.purchase, UInt64(0), "2100", true, true), (.purchase, 0, "0900", true, true),
            (.purchase, 0, "D700", true, false),
            (.purchase, 0, "1100", false, true), (.purchase, 0, "0500", false, true),
            (.purchase, 0, "EB00", false, false),
            (.cash, 0, "8100", true, true), (.cash, 0, "7FC0", true, false), (.cash, 0, "4100", false, true),
            (.cash, 0, "BFC0", false, false),
            (.purchaseWithCashback, 500, "2180", true, true), (.purchaseWithCashback, 500, "FF40", true, false),
            (.purchaseWithCashback, 500, "1140", false, true), (.purchaseWithCashback, 500, "FF80", false, false),
            (.purchaseWithCashback, 500, "4180", true, false), (.purchase, 500, "FF00", true, false),
        ] as [(TransactionRequest.Kind, UInt64, String, Bool, Bool)])
    func usageControl(
        _ kind: TransactionRequest.Kind, _ other: UInt64, _ control: String, isDomestic: Bool, isAllowed: Bool
    ) {
        let result = found([(.applicationUsageControl, control), (.issuerCountryCode, isDomestic ? "0056" : "0840")]) {
            $0.kind = kind
            $0.amountOther = other
        }
        #expect(result == (isAllowed ? "0000000000" : "0010000000"))
    }

    @Test("ATMs are types 14, 15 and 16 that give cash (Book 4, annex A1). This check needs no country code")
    func automatedTellerMachines() {
        for type in [0x14, 0x15, 0x16] as [UInt8] {
            #expect(found([(.applicationUsageControl, "FDC0")], type: TerminalType(rawValue: type)) == "0010000000")
            #expect(found([(.applicationUsageControl, "0200")], type: TerminalType(rawValue: type)) == "0000000000")
        }
        for type in [0x11, 0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x34] as [UInt8] {
            #expect(found([(.applicationUsageControl, "FEC0")], type: TerminalType(rawValue: type)) == "0010000000")
            #expect(found([(.applicationUsageControl, "0100")], type: TerminalType(rawValue: type)) == "0000000000")
        }
    }

    @Test func usageControlAbsent() {
        #expect(found([(.issuerCountryCode, "0840")]) == "0000000000")
        #expect(found([(.applicationUsageControl, "0100")]) == "0000000000", "without country the place is not judged")
        #expect(found([(.applicationUsageControl, "0100"), (.issuerCountryCode, "0056")]) == "0010000000")
    }

    // MARK: 10.4.3

    @Test(
        "the application expires after its expiration date",
        arguments: [
            ("260308", "0040000000"), ("260309", "0000000000"), ("491231", "0000000000"),
            // Book 4, 6.7.3: 50 is 1950.
            ("500101", "0040000000"), ("991231", "0040000000"), ("000101", "0040000000"),
        ])
    func expiry(_ date: String, _ expected: String) { #expect(found([(.applicationExpirationDate, date)]) == expected) }

    @Test(
        "An application is not effective before its date",
        arguments: [
            ("260310", "0020000000"), ("260309", "0000000000"), ("991231", "0000000000"), ("500101", "0000000000"),
            ("491231", "0020000000"),
        ])
    func effectiveDate(_ date: String, _ expected: String) {
        #expect(found([(.applicationEffectiveDate, date)]) == expected)
    }

    @Test func datesOfTheLastCentury() {
        #expect(found([(.applicationExpirationDate, "991231")]) { $0.date = bytes("981231") } == "0000000000")
        #expect(found([(.applicationEffectiveDate, "000101")]) { $0.date = bytes("991231") } == "0020000000")
    }

    /// 7.5: months outside 1 to 12, days outside 1 to 31 and anything but digits end the
    /// transaction.
    @Test(arguments: ["261331", "260031", "260100", "260132", "26123A", "2612"])
    func datesOutOfRange(_ date: String) async {
        for tag in ["5F24", "5F25"] {
            var image = CardImage()
            image[tag] = date
            let run = await KernelBench().run(image)
            #expect(
                run.decision
                    == .terminated(.invalidData(tag == "5F24" ? .applicationExpirationDate : .applicationEffectiveDate))
            )
        }
    }

    /// All of it at once, through the kernel: what is found joins the rest of the TVR and stops
    /// nothing by itself.
    @Test func joinsTheTVR() async {
        var image = CardImage()
        image["9F08"] = "0001"
        image["9F07"] = "0000"
        image["5F24"] = "250101"
        image["5F25"] = "270101"
        let run = await KernelBench().run(image)
        #expect(run.tvr == "80F0000000")
        #expect(run.decision == .approved(.offline))
    }
}
