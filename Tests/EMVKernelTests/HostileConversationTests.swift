import CardCryptography
import EMVKernel
import SmartCard
import TLV
import Testing
import VirtualCard

/// What a hostile card may do in a whole conversation: each ends the transaction, or fails what it
/// is about, and nothing else.
@Suite struct HostileConversationTests {
    /// 61xx and 6Cxx without end to every command from one step on: each command ends after the
    /// rounds of `ProcedureByteHandling`, and the transaction with the first of them whose status
    /// it cannot use.
    @Test(arguments: ["6110", "6100", "6C10", "6C00"], LongRun.commands.indices)
    func procedureBytesWithoutEnd(_ status: String, _ step: Int) async {
        let (card, counter) = (LongRun.card.card(), Counter())
        let tap = Tap(card) { _, response in
            if counter.next() > step { response = ResponseAPDU(bytes: bytes("00" + status)) ?? response }
        }
        let run = await LongRun.bench().run(ProcedureByteHandling(tap))
        #expect(await tap.commands.count < LongRun.commands.count * (ProcedureByteHandling.maximumRounds + 1))
        // The script after the last cryptogram decides nothing; before it no such card is approved.
        #expect((run.decision == .approved(.online)) == (step == LongRun.commands.count - 1))
    }

    /// Every answer cut short at every byte: what is not an answer ends the transaction. Not GET
    /// DATA: a counter that cannot be read is unknown (Book 3, 10.6.3; Book 4, 6.3.4.1); not the
    /// directory: the list of AIDs stands in for it (Book 1, 12.3.2).
    @Test func truncatedAtEveryByte() async {
        for (step, prefix) in LongRun.commands.enumerated() {
            for count in 0..<200 {
                let (counter, longest) = (Counter(), Counter())
                let tap = Tap(LongRun.card.card()) { _, response in
                    guard counter.next() == step + 1, response.data.count > count else { return }
                    _ = longest.next()
                    response.data = Array(response.data.prefix(count))
                }
                let run = await LongRun.bench().run(tap)
                guard longest.next() > 1 else { break }
                let isIndifferent = prefix.hasPrefix("80CA") || step < 3
                #expect(
                    (run.decision == .approved(.online)) == isIndifferent,
                    "step \(step), \(count) bytes: \(run.decision)")
            }
        }
    }

    /// A record of that length is read, a longer one ends the transaction and is not kept.
    @Test("An answer has 256 bytes at the most (Book 3, 6.1)", arguments: [256, 257, 65_536]) func longAnswers(
        _ count: Int
    ) async {
        // A template with one unknown data object, their tags and lengths taken off.
        let filling = String(repeating: "AB", count: count - (count < 300 ? 6 : 8))
        var card = LongRun.card
        card.pairs.removeAll { $0.0 == "00B2011400" }
        card.pairs.append(("00B2011400", object("70", object("C1", filling)) + "9000"))
        let channel = card.card()
        let run = await LongRun.bench().run(channel)
        guard count > 256 else { return #expect(run.decision == .approved(.online)) }
        guard case .terminated(.channel(.malformedAnswer)) = run.decision else {
            return #expect(Bool(false), "\(run.decision)")
        }
        #expect(await channel.sent.last == "00B2011400")
        #expect(run.outcome.allowsFallback)
    }

    /// A locator may list files in any order (Book 3, 10.2), a record that it lists twice repeats
    /// its data objects, and one that is not there ends the transaction.
    @Test(
        "An impossible file locator ends the transaction",
        arguments: [
            ("1001010008010100", nil), ("0801010008010100", .repeatedData(0x5A)),
            ("0801020010010100", .commandFailed(.readRecord, 0x6A83)),
            ("08010100F0010100", .commandFailed(.readRecord, 0x6A83)),
        ] as [(String, Termination?)])
    func locators(_ afl: String, _ expected: Termination?) async {
        var card = CardImage()
        card.afl = afl
        card.pairs = [("00B2", "6A83"), ("00B2011400", object("70", object("5F34", "01")) + "9000")]
        let run = await KernelBench().run(card)
        #expect(run.decision == expected.map { .terminated($0) } ?? .approved(.offline))
    }

    /// Certificates and signatures that are shorter or longer than the key they were made with
    /// (Book 2, 5.3, 5.4, 6.3, 6.4 and 6.5.2, each step 1), or numbers that no key recovers. TVR
    /// byte 1: SDA failed 40 and selected 02, DDA failed 08, CDA failed 04.
    @Test(arguments: [
        (ApplicationInterchangeProfile.sdaSupported, Tag.signedStaticApplicationData, "4200000000"),
        (.sdaSupported, .issuerPublicKeyCertificate, "4200000000"),
        (.ddaSupported, .issuerPublicKeyCertificate, "0800000000"),
        (.ddaSupported, .iccPublicKeyCertificate, "0800000000"),
        (.ddaSupported, .signedDynamicApplicationData, "0800000000"),
        (.cdaSupported, .iccPublicKeyCertificate, "0400000000"),
        (.cdaSupported, .signedDynamicApplicationData, "0400000000"),
    ])
    func lengthsOfSignatures(_ method: ApplicationInterchangeProfile, _ tag: Tag, _ tvr: String) async throws {
        let card = try RealCard.make(method)
        let changes: [@Sendable ([UInt8]) -> [UInt8]] = [
            { Array($0.dropLast()) }, { Array($0.dropFirst()) }, { $0 + [0] }, { [0] + $0 }, { Array($0.prefix(1)) },
            { Array(repeating: 0, count: $0.count) }, { Array(repeating: 0xFF, count: $0.count) },
        ]
        for (index, change) in changes.enumerated() {
            let tap = Tap(VirtualCard(card)) { _, response in response.edit(tag, change) }
            let run = await KernelBench(card).run(tap)
            #expect(run.tvr == tvr, "change \(index)")
            #expect(
                run.decision
                    == (method == .cdaSupported && tag == .signedDynamicApplicationData
                        ? .declined(.offline) : .approved(.offline)))
        }
    }

    /// The card falls silent at every step: like removal, but the stripe may be tried while no
    /// cryptogram was asked for (Book 4, 6.6.2).
    @Test("a card that falls silent at any step ends the transaction", arguments: LongRun.commands.indices.dropLast())
    func silence(_ step: Int) async {
        let run = await LongRun.bench().run(FaultyCard(LongRun.card.card(), CardFault(.silence, at: .step(step + 1))))
        // Silence in a script before the last cryptogram fails the script, and the next command
        // tells.
        let isScript = LongRun.commands[step].hasPrefix("84")
        #expect((run.decision == .terminated(.channel(.timedOut))) != isScript, "\(run.decision)")
        let cryptogram = LongRun.commands.firstIndex { $0.hasPrefix("80AE") } ?? 0
        #expect(run.outcome.allowsFallback == (step < cryptogram))
    }

    /// The virtual card comes out at every step of a conversation of each kind, and the outcome
    /// says so, up to the last cryptogram.
    @Test(
        "a card removed at any step ends the transaction",
        arguments: [ApplicationInterchangeProfile.sdaSupported, .ddaSupported, .cdaSupported])
    func removal(_ method: ApplicationInterchangeProfile) async throws {
        let card = try RealCard.make(method)
        let whole = FaultyCard(VirtualCard(card))
        #expect(await KernelBench(card).run(whole).decision == .approved(.offline))
        for step in 1...(await whole.step) {
            let run = await KernelBench(card).run(FaultyCard(VirtualCard(card), CardFault(.removal, at: .step(step))))
            #expect(run.decision == .terminated(.channel(.cardRemoved)))
            #expect(!run.outcome.allowsFallback)
            #expect(!run.outcome.requiresReversal)
        }
    }
}
