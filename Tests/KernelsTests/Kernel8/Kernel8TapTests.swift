import Bytes
import CardCryptography
import Contactless
import EMVKernel
import Kernels
import SmartCard
import TLV
import Testing
import VirtualCard
import VirtualTap

/// Whole taps with virtual cards: both sides compute keys, codes and cryptograms each for itself,
/// and the issuer a third time.
@Suite("Kernel 8 taps virtual cards") struct Kernel8TapTests {
    @Test("A small amount is approved offline", arguments: Kernel8ContactlessProfile.Curve.allCases)
    func offline(_ curve: Kernel8ContactlessProfile.Curve) async throws {
        let bench = try Kernel8Bench { $0.curve = curve }
        let run = try await bench.run()
        #expect(run.outcome.status == .approved)
        #expect(run.asked == 0x40)
        #expect(run.outcome.verification == ContactlessOutcome.Verification.none)
        #expect(run.tvr?.bytes.hex == "0000000081")
        #expect(run.outcome.data?[.cvmResults]?.hex == "1F0002")
        #expect(
            run.sent.map(\.instruction) == [
                .select, .select, .getProcessingOptions, .readRecord, .readRecord, .readRecord, .readRecord,
                .generateAC,
            ])
        #expect(try bench.isRight(run.outcome))
        #expect(run.shown.map(\.message) == [.presentCard, .processing, .cardReadRemove, .approved])
        #expect(run.outcome.discretionaryData[.errorIndication]?.hex == "000000000003")
    }

    @Test("Above the floor limit the issuer is asked, and verifies cryptogram and IAD-MAC") func online() async throws {
        var bench = try Kernel8Bench()
        bench.request.amount = 25_01
        let run = try await bench.run()
        #expect(run.outcome.status == .onlineRequest)
        #expect(run.asked == 0x80)
        #expect(run.tvr?.bytes.hex == "0000008081")
        #expect(try bench.isRight(run.outcome))
        // The kernel's own code is where the cryptogram covers it.
        let code = try #require(run.outcome.data?[.issuerApplicationDataMAC])
        #expect(run.outcome.data?[.issuerApplicationData]?.suffix(8) == code[...])
    }

    @Test("A card on the exception file is not approved offline") func exceptionFile() async throws {
        var bench = try Kernel8Bench()
        bench.isListed = { $0 == Array("4761739001010119".utf8) }
        #expect(try await bench.run().asked == 0x80)
        bench.type = .attendedOfflineOnly
        #expect(try await bench.run().outcome.status == .declined)
    }

    @Test("The card says where the IAD-MAC goes") func ownOffset() async throws {
        let bench = try Kernel8Bench { $0.macOffset = 17 }
        let run = try await bench.run()
        let code = try #require(run.outcome.data?[.issuerApplicationDataMAC])
        #expect(run.outcome.data?[.issuerApplicationData].map { Array($0[17..<25]) } == code)
        #expect(try run.outcome.status == .approved)
        #expect(try bench.isRight(run.outcome))
    }

    /// Nothing of the card is readable on the way.
    @Test("Records are enciphered, or not") func records() async throws {
        let pan = "4761739001010119"
        let hidden = try await Kernel8Bench().run()
        #expect(hidden.answers.allSatisfy { !$0.data.hex.contains(pan) })
        #expect(hidden.outcome.data?[.applicationPAN]?.hex == pan)
        #expect(hidden.answers.count { $0.data.first == 0xDA } == 3)
        let shown = try await Kernel8Bench { $0.enciphersRecords = false }.run()
        #expect(shown.answers.contains { $0.data.hex.contains(pan) })
        #expect(shown.outcome.status == .approved)
    }

    @Test("The kernel's key and the card's answer are new with each tap") func fresh() async throws {
        let bench = try Kernel8Bench()
        let (one, other) = (try await bench.run(), try await bench.run())
        #expect(one.sent[2].data != other.sent[2].data)
        #expect(one.answers[2].data != other.answers[2].data && one.answers[3].data != other.answers[3].data)
    }

    @Test("Relays are resisted") func relay() async throws {
        var bench = try Kernel8Bench { $0.relayResistance = CardRelayResistance() }
        bench.kernel.relayResistance = RelayResistanceLimits()
        bench.elapsed = .milliseconds(7)
        let run = try await bench.run()
        #expect(run.outcome.status == .approved)
        #expect(run.count(.exchangeRelayResistanceData) == 1)
        #expect(run.tvr?.bytes.hex == "0000000082")
        #expect(run.outcome.discretionaryData[.relayResistanceTimeExcess]?.hex == "0000")
        bench.elapsed = .milliseconds(57)
        let relayed = try await bench.run()
        // 57 ms less 1.8, 2.4 and 5 ms.
        #expect(relayed.outcome.discretionaryData[.relayResistanceTimeExcess]?.hex == "01DE")
        #expect(relayed.outcome.status == .declined)
        #expect(relayed.asked == 0x00)
        #expect(relayed.count(.exchangeRelayResistanceData) == 3)
    }

    @Test("Data envelopes are read before the cryptogram and written after it") func envelopes() async throws {
        var bench = try Kernel8Bench { $0.envelopes = [1: [0x11, 0x22], 3: [UInt8](repeating: 0x33, count: 243)] }
        bench.kernel.envelopesToRead = [1, 3]
        bench.kernel.envelopesToWrite = [
            try #require(.init(number: 2, value: [0xAA])),
            try #require(.init(number: 10, value: [UInt8](repeating: 0xBB, count: 243))),
        ]
        let virtual = VirtualCard(bench.card, interface: .contactless)
        let run = try await bench.run(virtual)
        #expect(run.outcome.status == .approved)
        #expect(
            run.sent.suffix(5).map { [$0.cla, $0.ins, $0.p1, $0.p2].hex } == [
                "84320000", "84320000", "80AE4080", "84340080", "84340000",
            ])
        #expect(
            run.outcome.discretionaryData[0x9F_8111]?.hex == "1122"
                && run.outcome.discretionaryData[0x9F_8113]?.count == 243)
        #expect(run.outcome.discretionaryData[.readDataStatus] == [0x80])
        #expect(run.outcome.discretionaryData[.writeDataStatus] == [0x80])
        // The card keeps them.
        bench.kernel.envelopesToRead = [2, 10]
        bench.kernel.envelopesToWrite = []
        let next = try await bench.run(virtual)
        #expect(
            next.outcome.discretionaryData[0x9F_8112]?.hex == "AA"
                && next.outcome.discretionaryData[0x9F_811A]?.count == 243)
    }

    @Test("Data envelopes may be written before the cryptogram, too, by cards that take them") func envelopesBefore()
        async throws
    {
        var bench = try Kernel8Bench {
            $0.envelopes = [1: [0x11]]
            $0.writesBeforeCryptogram = true
        }
        bench.kernel.envelopesToRead = [1]
        bench.kernel.envelopesToWriteBefore = [
            try #require(.init(number: 2, value: [0xAA])), try #require(.init(number: 3, value: [0xBB])),
        ]
        bench.kernel.envelopesToWrite = [try #require(.init(number: 4, value: [0xCC]))]
        let virtual = VirtualCard(bench.card, interface: .contactless)
        let run = try await bench.run(virtual)
        #expect(run.outcome.status == .approved)
        #expect(run.outcome.discretionaryData[.writeDataStatus] == [0x80])
        #expect(
            run.sent.suffix(5).map { [$0.cla, $0.ins, $0.p1, $0.p2].hex } == [
                "84320000", "84340080", "84340000", "80AE4080", "84340000",
            ])
        #expect(try bench.isRight(run.outcome))
        // The card keeps them.
        bench.kernel.envelopesToRead = [2, 3, 4]
        (bench.kernel.envelopesToWriteBefore, bench.kernel.envelopesToWrite) = ([], [])
        let next = try await bench.run(virtual)
        #expect(
            [0x9F_8112, 0x9F_8113, 0x9F_8114].map { next.outcome.discretionaryData[TLV.Tag(rawValue: $0)]?.hex } == [
                "AA", "BB", "CC",
            ])
        #expect(!next.outcome.discretionaryData.contains(.writeDataStatus))
    }

    @Test("A write that the card does not take before the cryptogram is the last, and the payment goes on")
    func refusedBefore()
        async throws
    {
        var bench = try Kernel8Bench()
        bench.kernel.envelopesToWriteBefore = [
            try #require(.init(number: 2, value: [0xAA])), try #require(.init(number: 3, value: [0xBB])),
        ]
        bench.kernel.envelopesToWrite = [try #require(.init(number: 4, value: [0xCC]))]
        let run = try await bench.run()
        #expect(run.outcome.status == .approved)
        #expect(run.outcome.discretionaryData[.writeDataStatus] == [0x00])
        // P2 of GENERATE AC announces nothing.
        #expect(run.sent.suffix(2).map { [$0.cla, $0.ins, $0.p1, $0.p2].hex } == ["84340080", "80AE4000"])
    }

    @Test("A card that leaves before the cryptogram is presented again, and written to again") func removedBefore()
        async throws
    {
        var bench = try Kernel8Bench { $0.writesBeforeCryptogram = true }
        bench.kernel.envelopesToWriteBefore = [try #require(.init(number: 2, value: [0xAA]))]
        bench.faults = [CardFault(.silence, at: .command(.writeData, occurrence: 1))]
        let run = try await bench.run()
        #expect(run.outcome.status == .approved)
        #expect(run.count(.writeData) == 2)
        #expect(run.outcome.discretionaryData[.writeDataStatus] == [0x80])
    }

    @Test("A tap that ends before its last envelope has not written") func endedBefore() async throws {
        var bench = try Kernel8Bench { $0.writesBeforeCryptogram = true }
        bench.kernel.envelopesToWriteBefore = [try #require(.init(number: 2, value: [0xAA]))]
        bench.kernel.envelopesToWrite = [try #require(.init(number: 3, value: [0xBB]))]
        bench.faults = [CardFault(.status(.conditionsNotSatisfied), at: .command(.generateAC, occurrence: 1))]
        let run = try await bench.run()
        #expect(run.outcome.status == .endApplication)
        #expect(run.outcome.discretionaryData[.writeDataStatus] == [0x00])
    }

    @Test("An envelope that the card does not have changes nothing else") func missingEnvelope() async throws {
        var bench = try Kernel8Bench { $0.envelopes = [2: [0x01]] }
        bench.kernel.envelopesToRead = [1, 2]
        let run = try await bench.run()
        #expect(run.outcome.status == .approved)
        #expect(run.outcome.discretionaryData[.readDataStatus] == [0x00])
        #expect(run.outcome.discretionaryData[0x9F_8112]?.hex == "01")
        #expect(!run.outcome.discretionaryData.contains(0x9F_8111))
    }

    @Test("A phone that is locked is presented again") func lockedPhone() async throws {
        var bench = try Kernel8Bench { $0.device = .locked }
        bench.request.amount = 60_00
        let run = try await bench.run()
        #expect(run.count(.generateAC) == 2)
        #expect(run.outcome.status == .onlineRequest)
        #expect(run.outcome.verification == .consumerDevice)
        #expect(run.shown.contains(UserInterfaceRequest(.seePhone, .readyToRead)))
        #expect(run.outcome.data?[.cvmResults]?.hex == "010002")
    }
}

/// What the card decides on its holder (tag `9F8102`).
@Suite("Kernel 8 leaves the cardholder to the card") struct Kernel8VerificationTests {
    private func run(
        _ amount: UInt64, _ verifications: [Kernel8ContactlessProfile.Verification] = [.onlinePIN, .signature],
        _ change: (inout Kernel8Bench) -> Void = { _ in }
    ) async throws -> VirtualTap.Run {
        var bench = try Kernel8Bench {
            $0.verifications = verifications
            $0.approvesOfflineUpTo = 900_00
        }
        bench.kernel.floorLimit = 900_00
        bench.request.amount = amount
        change(&bench)
        let run = try await bench.run()
        if run.outcome.data != nil { #expect(try bench.isRight(run.outcome)) }
        return run
    }

    @Test("No CVM is required at or below the limit") func none() async throws {
        let run = try await run(50_00)
        #expect(run.outcome.status == .approved)
        #expect(run.outcome.verification == ContactlessOutcome.Verification.none)
        #expect(!run.outcome.wantsReceipt)
        #expect(run.outcome.data?[.terminalRiskManagementData]?.hex == "0C00000000000000")
    }

    @Test("Signature") func signature() async throws {
        let run = try await run(50_01, [.signature])
        #expect(run.outcome.status == .approved)
        #expect(run.outcome.verification == .signature)
        #expect(run.outcome.wantsReceipt)
        #expect(run.outcome.data?[.cvmResults]?.hex == "1E0000")
        #expect(run.shown.last?.message == .approvedSign)
        #expect(run.outcome.data?[.terminalRiskManagementData]?.hex == "6480000000000000")
    }

    @Test("A PIN for the issuer is never approved offline") func onlinePIN() async throws {
        let run = try await run(50_01)
        #expect(run.outcome.status == .onlineRequest)
        #expect(run.outcome.verification == .onlinePIN)
        #expect(run.outcome.data?[.cvmResults]?.hex == "020000")
        #expect(run.tvr?.bytes.hex == "0000040081")
    }

    @Test("No method in common: the TVR says so, and the issuer is asked") func failed() async throws {
        let run = try await run(50_01, [])
        #expect(run.outcome.status == .onlineRequest)
        #expect(run.outcome.verification == nil)
        #expect(run.outcome.data?[.cvmResults]?.hex == "3F0001")
        #expect(run.tvr?.bytes.hex == "0000800081")
    }

    /// A card that claims what the terminal did not offer.
    @Test("A method that the terminal did not offer counts as failed") func notOffered() async throws {
        let run = try await run(50_01, [.signature]) { bench in
            bench.ask = { command in
                guard command.instruction == .generateAC else { return command }
                // The card learns of a signature that the terminal cannot take; the IAD-MAC gives
                // it away.
                var data = command.data
                data[32] = 0x20
                return CommandAPDU(
                    cla: command.cla, ins: command.ins, p1: command.p1, p2: command.p2, data: data, expectedLength: 256)
            }
            bench.kernel.verificationAboveLimit = [.onlinePIN]
        }
        #expect(run.outcome.status == .endApplication)
        #expect(run.outcome.reason == .enhancedDataAuthentication)
    }
}
