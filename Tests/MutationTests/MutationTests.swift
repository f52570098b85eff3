import EMVKernel
import Mutation
import SeededNumbers
import TLV
import Testing

/// Conversations between kernel and virtual card with damaged answers. tools/mutate runs a hundred
/// thousand, and measures memory too.
@Suite("Conversations with damaged answers end") struct MutationTests {
    @Test(
        "Every run ends in an outcome, in few commands; the seeds go through all kinds of conversation",
        arguments: 0..<4 as Range<UInt64>)
    func everyConversationEnds(_ block: UInt64) async throws {
        let bench = try await MutationBench()
        let watchdog = Watchdog()
        var undisturbed = 0
        for seed in block * 1250..<(block + 1) * 1250 {
            watchdog.begin(seed)
            let run = await bench.run(seed)
            #expect(run.violations == [], "seed \(seed), \(run.kind)")
            undisturbed += run.outcome.decision == run.kind.undisturbed ? 1 : 0
        }
        watchdog.end()
        // Some mutations change how the conversation ends and some do not, or nothing is tested.
        #expect((100...1100).contains(undisturbed))
    }

    /// CVM results: 44 is the PIN enciphered to the card, with the next rule if it fails, 03 where
    /// the terminal can do it, 02 successful (Book 4, A4; Book 3, annex C3). Script results: 2 in
    /// the first digit is success (Book 4, A5).
    @Test("What each kind of conversation is there for happens in it") func undisturbedConversations() async throws {
        let bench = try await MutationBench()
        for kind in ConversationKind.allCases {
            let outcome = await bench.undisturbed(kind)
            #expect(outcome.decision == kind.undisturbed)
            let failures: TerminalVerificationResults = [
                .offlineDataAuthenticationNotPerformed, .sdaFailed, .ddaFailed, .cdaFailed, .iccDataMissing,
            ]
            #expect(outcome.tvr.isDisjoint(with: failures), "\(kind)")
            if kind == .encipheredPIN || kind == .xda {
                #expect(outcome.data[.cvmResults] == [0x44, 0x03, 0x02])
            }
            #expect(
                outcome.data[.issuerScriptResults]
                    == (kind == .issuerScript ? [0x20, 1, 2, 3, 4, 0x20, 1, 2, 3, 4] : nil))
        }
    }

    @Test("A seed that is run again leads to the same end, so that a failure can be looked at") func seedTellsAll()
        async throws
    {
        let first = try await MutationBench()
        let second = try await MutationBench()
        for seed in 0..<160 as Range<UInt64> where seed % 8 != 3 {
            let (run, again) = (await first.run(seed), await second.run(seed))
            #expect(run.kind != .xda)
            #expect(run.outcome.decision == again.outcome.decision, "seed \(seed)")
            #expect(run.outcome.tvr == again.outcome.tvr, "seed \(seed)")
            #expect(run.additionalCommands == again.additionalCommands)
        }
    }

    /// SplitMix64 from seed 1234567, as published with the implementations of rosettacode.org
    /// ("Pseudo-random numbers/Splitmix64").
    @Test("the generator gives the published sequence") func generator() {
        var random = SplitMix(seed: 1_234_567)
        let published: [UInt64] = [
            6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423, 4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ]
        #expect(published.allSatisfy { $0 == random.next() })
    }
}
