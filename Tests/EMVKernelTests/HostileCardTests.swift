import Bytes
import SeededNumbers
import SmartCard
import Synchronization
import TLV
import Testing

@testable import EMVKernel

@Suite("A card that is removed at any command") struct RemovalTests {
    @Test func theRunItself() async {
        let card = LongRun.card.card()
        let run = await LongRun.bench().run(card)
        #expect(run.decision == .approved(.online))
        #expect(run.tvr == "8000000000")
        let sent = await card.sent
        #expect(sent.count == LongRun.commands.count)
        #expect(zip(sent, LongRun.commands).allSatisfy { $0.hasPrefix($1) })
    }

    /// The card is pulled out before each command in turn. Before the last word of the card the
    /// transaction breaks off, with a reversal if the issuer had approved (Book 4, 6.3.8); in a
    /// script after it the decision stands and TVR byte 5, 10, tells of the script.
    @Test("a card removed before any command ends the transaction", arguments: LongRun.commands.indices)
    func before(_ step: Int) async {
        let card = LongRun.card.card(removedAt: step)
        let run = await LongRun.bench().run(card)
        #expect(await card.sent.count == step)
        if step == LongRun.commands.count - 1 {
            #expect(run.decision == .approved(.online))
            #expect(run.tvr == "8000000010")
            #expect(!run.outcome.requiresReversal)
        } else {
            #expect(run.decision == .terminated(.channel(.cardRemoved)))
            let issuerAnswered = LongRun.commands.firstIndex(of: "0082").map { step >= $0 } ?? false
            #expect(run.outcome.requiresReversal == issuerAnswered)
            #expect(!run.outcome.requiresSignature)
        }
        #expect(run.events.last == .completed(run.decision))
    }

    /// A card that is gone, and one whose transaction was called off, is not swiped instead; a chip
    /// that does not answer may be.
    @Test("only a chip that does not answer allows fallback") func fallback() {
        #expect(!Termination.channel(.cardRemoved).isChipFailure)
        #expect(!Termination.channel(.cancelled).isChipFailure)
        #expect(Termination.channel(.timedOut).isChipFailure)
    }
}

/// Spoils what another card answers, by chance but the same in each run.
private actor SpoilingCard: CardChannel {
    /// More commands than the longest run the kernel allows; a card that gets more is asked without
    /// end.
    static let timeout = 500

    private let card: any CardChannel
    private var random: SplitMix
    private let kind: Int
    private(set) var count = 0

    init(_ card: any CardChannel, seed: UInt64) {
        self.card = card
        random = SplitMix(seed: seed)
        kind = Int(seed % 4)
    }

    func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
        count += 1
        guard count <= Self.timeout else { throw .timedOut }
        var response = try await card.transmit(command)
        switch kind {
        // Rubbish from the first byte on, one answer in four.
        case 0 where Int.random(in: 0..<4, using: &random) == 0:
            response.data = (0..<Int.random(in: 0...300, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
        // One byte changed, in one answer of three.
        case 1 where !response.data.isEmpty && Int.random(in: 0..<3, using: &random) == 0:
            response.data[Int.random(in: response.data.indices, using: &random)] = UInt8.random(
                in: 0...255, using: &random)
        // Cut short or run on, one answer in four.
        case 2 where Int.random(in: 0..<4, using: &random) == 0:
            response.data.removeLast(Int.random(in: 0...response.data.count, using: &random))
            if Bool.random(using: &random) { response.data += response.data }
        // Another status word, one answer in six.
        case 3 where Int.random(in: 0..<6, using: &random) == 0:
            let statuses: [StatusWord] = [
                0x6A81, 0x6283, 0x6985, 0x6A83, 0x63C3, 0x6983, 0x9000, 0x6100, 0x6C00, 0x0000, 0xFFFF,
            ]
            response.status = statuses[Int.random(in: statuses.indices, using: &random)]
        default: break
        }
        return response
    }
}

@Suite struct HostileCardTests {
    /// An approval needs a cryptogram that approves, and an answered issuer if it was online,
    /// regardless of other data of the card.
    private func expectSound(_ outcome: Outcome, _ seed: UInt64) {
        switch outcome.decision {
        case .approved: #expect(outcome.cryptogram == .tc, "seed \(seed)")
        case .declined, .terminated: #expect(!outcome.requiresSignature, "seed \(seed)")
        }
    }

    @Test(
        "Two thousand runs with spoiled answers: each ends, in few commands, with a defined outcome",
        arguments: 0..<8 as Range<UInt64>)
    func spoiledAnswers(_ block: UInt64) async {
        var endings: [Bool: Int] = [:]
        for seed in block * 250..<(block + 1) * 250 {
            var bench = LongRun.bench()
            bench.configuration.applications.append(
                ApplicationConfiguration(aid: bytes("A000000003"), versions: [0x96]))
            let card = SpoilingCard(LongRun.card.card(), seed: seed)
            let run = await bench.run(card)
            expectSound(run.outcome, seed)
            #expect(await card.count < SpoilingCard.timeout, "seed \(seed)")
            #expect(run.events.last == .completed(run.decision), "seed \(seed)")
            endings[run.decision == .approved(.online), default: 0] += 1
        }
        // Some runs are spoiled and some are not, or the test tests nothing.
        #expect(endings.count == 2)
    }

    @Test("Nothing but rubbish, status words included", arguments: 0..<4 as Range<UInt64>)
    func rubbish(_ block: UInt64) async {
        for seed in block * 500..<(block + 1) * 500 {
            let random = Mutex(SplitMix(seed: seed))
            let tap = Tap(
                FunctionCard { _ in
                    random.withLock { random in
                        let count = Int.random(in: 0...64, using: &random)
                        let data = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
                        return ResponseAPDU(
                            data,
                            status: Bool.random(using: &random)
                                ? .success : StatusWord(rawValue: .random(in: 0 ... .max, using: &random)))
                    }
                })
            var bench = LongRun.bench()
            bench.configuration.usesPaymentSystemEnvironment = seed.isMultiple(of: 2)
            let run = await bench.run(tap)
            guard case .terminated = run.decision else {
                Issue.record("seed \(seed): \(run.decision)")
                continue
            }
            #expect(await tap.commands.count <= 100)
        }
    }

    @Test("The longest run that a card can ask for: every limit of the kernel's at its end, and still an end")
    func theLongestRun() async {
        var card = LongRun.card
        // 64 records, all but one empty.
        card.afl = "0801010010013F00"
        card.pairs.removeAll { $0.0.hasPrefix("00B20114") || $0.0.hasPrefix("0020") }
        card.pairs += [("00B2", "7000" + "9000"), ("0020", "63CF")]
        let channel = card.card()
        let run = await LongRun.bench().run(channel)
        #expect(run.decision == .approved(.online))
        #expect(run.tvr == "8000800000", "the PIN never came right")
        #expect(await channel.sent.filter { $0.hasPrefix("00B2") && $0.hasSuffix("1400") }.count == 63)
        #expect(await channel.sent.count < 200)
    }

    /// An FCI that would be right if it were not twelve templates deep.
    private static let nested = object(
        "6F", object("84", CardImage.aid) + object("A5", (0..<10).reduce("") { inner, _ in object("70", inner) }))

    @Test(
        "A card nests templates deeper than any walker should follow, or says that it is longer than it is",
        arguments: [
            "6F81FF", "6F82FFFF", "6F83FFFFFF", "6F84FFFFFFFF", "6F80", "1F8181818100", "7F7F7F7F7F7F", "A5A5A5A5",
            nested, "6F008407A0000000031010",
        ])
    func lengthsThatLie(_ answer: String) async {
        for command in [CardImage.select, "80A8", "00B2010C00", "80AE", "80CA9F1700"] {
            var card = LongRun.card
            card.pairs.removeAll { $0.0 == command }
            card.pairs.insert((command, answer + "9000"), at: 0)
            if command == "80AE" { card.cryptograms = [answer + "9000"] }
            let run = await LongRun.bench().run(card)
            if command == "80CA9F1700" {
                #expect(run.decision == .approved(.online), "the counter is unknown, and asked for no further")
            } else {
                guard case .terminated = run.decision else {
                    Issue.record("\(answer) to \(command): \(run.decision)")
                    continue
                }
            }
        }
    }
}
