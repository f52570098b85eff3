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

/// What GENERATE AC must answer.
private let answerTags: [TLV.Tag] = [
    .cryptogramInformationData, .applicationTransactionCounter, .applicationCryptogram, .issuerApplicationData,
    .cardholderVerificationDecision, .enhancedDataAuthenticationMAC,
]

/// Each thing that is damaged or forged between card and kernel, and how the tap ends: never
/// approved.
@Suite("Kernel 8 finds out what is changed") struct Kernel8AttackTests {
    private func isApproved(_ run: VirtualTap.Run) -> Bool { run.outcome.status == .approved }

    /// The terminal's data objects of GENERATE AC: amount, TVR, date, number, capabilities.
    @Test("Changed data of GENERATE AC", arguments: [0, 5, 14, 19, 25, 28, 29, 32, 33]) func changedCommand(
        _ index: Int
    ) async throws {
        var bench = try Kernel8Bench()
        bench.ask = { command in
            guard command.instruction == .generateAC else { return command }
            var data = command.data
            data[index] ^= 0x01
            return CommandAPDU(
                cla: command.cla, ins: command.ins, p1: command.p1, p2: command.p2, data: data, expectedLength: 256)
        }
        let run = try await bench.run()
        #expect(run.outcome.status == .endApplication)
        #expect(run.outcome.reason == .enhancedDataAuthentication)
        #expect(run.outcome.discretionaryData[.errorIndication]?.hex == "00130000001C")
    }

    @Test(
        "Changed data objects in its answer",
        arguments: answerTags)
    func changedAnswer(_ tag: TLV.Tag) async throws {
        var bench = try Kernel8Bench()
        bench.change = { $0.instruction == .generateAC ? $1.corrupted(tag) : $1 }
        let run = try await bench.run()
        #expect(run.outcome.status == .endApplication)
        #expect(run.outcome.reason == .enhancedDataAuthentication)
    }

    @Test("An ARQC passed off as a TC") func cryptogramType() async throws {
        var bench = try Kernel8Bench { $0.approvesOfflineUpTo = 9_99 }
        bench.change = { command, answer in
            guard command.instruction == .generateAC else { return answer }
            var changed = answer
            if let start = changed.data.indices.first(where: { changed.data[$0...].starts(with: [0x9F, 0x27, 0x01]) }) {
                changed.data[start + 3] = 0x40
            }
            return changed
        }
        #expect(try await bench.run().outcome.reason == .enhancedDataAuthentication)
    }

    /// The profile is under the certificate, and under the cryptogram. "Local authentication" taken
    /// away is reported to the issuer, which refuses the cryptogram.
    @Test("A changed interchange profile", arguments: [0, 1]) func changedProfile(_ byte: Int) async throws {
        var bench = try Kernel8Bench()
        bench.change = { command, answer in
            guard command.instruction == .getProcessingOptions else { return answer }
            var changed = answer
            if let start = changed.data.indices.first(where: { changed.data[$0...].starts(with: [0x82, 0x02]) }) {
                changed.data[start + 2 + byte] ^= 0x01
            }
            return changed
        }
        let run = try await bench.run()
        #expect(!isApproved(run))
        #expect(run.outcome.reason == .enhancedDataAuthentication)
    }

    @Test("A changed answer to processing options", arguments: [0, 31, 32, 63]) func changedKeyData(_ index: Int)
        async throws
    {
        var bench = try Kernel8Bench()
        bench.change = { command, answer in
            guard command.instruction == .getProcessingOptions else { return answer }
            var changed = answer
            if let start = changed.data.indices.first(where: {
                changed.data[$0...].starts(with: [0x9F, 0x81, 0x03, 0x40])
            }) {
                changed.data[start + 4 + index] ^= 0x01
            }
            return changed
        }
        let run = try await bench.run()
        #expect(!isApproved(run))
        #expect(run.outcome.status != .onlineRequest)
        // A factor that is wrong alone leaves the keys right: the blinded key is not the
        // certificate's.
        if index >= 32 {
            #expect(run.outcome.status == .declined)
            #expect(run.asked == 0x80)
        }
    }

    @Test("A key of another length, or one that is not on the curve") func malformedKeyData() async throws {
        for (found, replacement) in [("9F810340", "9F81033F"), ("9F810340", "9F820340")] {
            var bench = try Kernel8Bench()
            bench.change = { command, answer in
                guard command.instruction == .getProcessingOptions,
                    let changed = try? [UInt8](hex: answer.data.hex.replacing(found, with: replacement))
                else { return answer }
                return ResponseAPDU(changed)
            }
            #expect(try await bench.run().outcome.status == .endApplication)
        }
        var bench = try Kernel8Bench()
        bench.change = { command, answer in
            guard command.instruction == .getProcessingOptions else { return answer }
            // x = 2^256 − 1 is above the field.
            return ResponseAPDU(
                tlv(.responseTemplate2) { template in
                    template.append(.applicationInterchangeProfile, [0x01, 0x02])
                    template.append(.applicationFileLocator, [0x10, 0x01, 0x01, 0x01])
                    template.append(.cardKeyData, [UInt8](repeating: 0xFF, count: 64))
                })
        }
        let run = try await bench.run()
        #expect(run.outcome.status == .endApplication)
        #expect(run.outcome.reason == .secureChannel)
        #expect(run.outcome.discretionaryData[.errorIndication]?.hex == "00100000001C")
    }

    /// A byte of a PAN, or of a certificate, in a record.
    @Test("Changed records", arguments: [(1, 8), (1, 30), (2, 40), (2, 110), (3, 40), (3, 130)]) func changedRecord(
        _ number: Int, _ index: Int
    ) async throws {
        var bench = try Kernel8Bench()
        var count = 0
        bench.change = { command, answer in
            guard command.instruction == .readRecord else { return answer }
            count += 1
            return count == number ? answer.corrupted(at: index) : answer
        }
        let run = try await bench.run()
        #expect(!isApproved(run))
        #expect(run.outcome.status != .onlineRequest)
    }

    @Test("A record that comes twice, so that the counters differ") func counters() async throws {
        var bench = try Kernel8Bench()
        var kept: ResponseAPDU?
        bench.change = { command, answer in
            guard command.instruction == .readRecord else { return answer }
            defer { kept = kept ?? answer }
            return kept ?? answer
        }
        let run = try await bench.run()
        #expect(run.outcome.status == .endApplication)
    }

    /// Another card of the same bench: its certificates are right, its key is not behind the
    /// channel.
    @Test("Records of another card") func mixedCards() async throws {
        let other = try await Kernel8Bench(
            { $0.enciphersRecords = false }, profile: { $0.account = CardAccount(pan: "4761739001010010") }
        )
        .run()
        let records = zip(other.sent, other.answers).filter { $0.0.instruction == .readRecord }.map(\.1)
        var bench = try Kernel8Bench { $0.enciphersRecords = false }
        bench.change = { command, answer in
            guard command.instruction == .readRecord else { return answer }
            return records[Int(command.p2 >> 3) - 2]
        }
        let run = try await bench.run()
        #expect(run.outcome.status == .endApplication)
        #expect(run.outcome.reason == .enhancedDataAuthentication)
    }

    @Test("Without the authority's key the issuer is not asked for it") func withoutAuthority() async throws {
        var bench = try Kernel8Bench()
        bench.caKeys = []
        let run = try await bench.run()
        guard case .dataAuthentication(.unknownCAKey) = run.outcome.reason else {
            Issue.record("\(String(describing: run.outcome.reason))")
            return
        }
        #expect(run.outcome.status == .declined)
        #expect(run.asked == 0x80)
        // The default action codes decline a failed authentication; without that bit the issuer
        // decides.
        bench.kernel.denialActionCode = []
        let asked = try await bench.run()
        #expect(try asked.outcome.status == .onlineRequest)
        #expect(try asked.tvr?.bytes.hex == "0000000081")
        #expect(try bench.isRight(asked.outcome))
        bench.kernel.reportsFailedLocalAuthentication = true
        #expect(try await bench.run().tvr?.bytes.hex == "0400000081")
        bench.type = .unattendedOfflineOnly
        #expect(try await bench.run().asked == 0x00)
    }

    @Test("A card without local authentication is not approved offline") func withoutLocalAuthentication() async throws
    {
        var bench = try Kernel8Bench { $0.authenticatesLocally = false }
        let run = try await bench.run()
        #expect(try run.outcome.status == .onlineRequest)
        #expect(try run.tvr?.bytes.hex == "8000000081")
        #expect(try bench.isRight(run.outcome))
        bench.type = .unattendedOfflineOnly
        #expect(try await bench.run().outcome.status == .declined)
    }

    @Test("An expired certificate") func expired() async throws {
        var bench = try Kernel8Bench()
        bench.request.date = [0x49, 0x12, 0x31]
        bench.request.time = [0x23, 0x59, 0x00]
        let run = try await bench.run()
        #expect(run.outcome.reason == .dataAuthentication(.iccCertificate(.expired)))
    }

    @Test("An answer to relay resistance that the card did not give") func relay() async throws {
        var bench = try Kernel8Bench { $0.relayResistance = CardRelayResistance() }
        bench.kernel.relayResistance = RelayResistanceLimits()
        bench.elapsed = .milliseconds(7)
        bench.change = { $0.instruction == .exchangeRelayResistanceData ? $1.corrupted(at: 3) : $1 }
        #expect(try await bench.run().outcome.reason == .enhancedDataAuthentication)
    }

    @Test("A data envelope with a wrong code is not taken") func readData() async throws {
        var bench = try Kernel8Bench { $0.envelopes = [1: [0x11, 0x22]] }
        bench.kernel.envelopesToRead = [1]
        bench.change = { $0.instruction == .readData ? $1.corrupted(at: 2) : $1 }
        let run = try await bench.run()
        #expect(run.outcome.discretionaryData[.readDataStatus] == [0x00])
        #expect(!run.outcome.discretionaryData.contains(0x9F_8111))
        #expect(run.outcome.status == .approved, "the cryptogram has its own code")
    }

    @Test("A write that the card does not confirm ends the writing, and changes nothing of the payment")
    func writeData() async throws {
        var bench = try Kernel8Bench()
        bench.kernel.envelopesToWrite = [
            try #require(.init(number: 1, value: [0xAA])), try #require(.init(number: 2, value: [0xBB])),
        ]
        bench.change = { $0.instruction == .writeData ? $1.corrupted(at: 0) : $1 }
        let run = try await bench.run()
        #expect(run.count(.writeData) == 1)
        #expect(run.outcome.status == .approved)
        #expect(run.outcome.discretionaryData[.writeDataStatus] == [0x00])
        bench.change = { $1 }
        bench.faults = [CardFault(.removal, at: .command(.writeData, occurrence: 2))]
        let removed = try await bench.run()
        #expect(removed.outcome.status == .approved)
        #expect(removed.outcome.discretionaryData[.writeDataStatus] == [0x00])
    }

    /// From processing options on: no byte that the card says can be changed so that the payment is
    /// still approved or sent to the issuer. Only the low bits beside a file identifier in the file
    /// locator mean nothing.
    @Test("Every byte of every answer counts") func everyByte() async throws {
        var bench = try Kernel8Bench { $0.relayResistance = CardRelayResistance() }
        bench.kernel.relayResistance = RelayResistanceLimits()
        bench.elapsed = .milliseconds(7)
        let whole = try await bench.run()
        let options = whole.answers[2].data
        let locator = try #require(options.indices.first { options[$0...].starts(with: [0x94, 0x10]) }) + 2
        for position in whole.answers.indices.dropFirst(2) {
            for index in whole.answers[position].data.indices
            where position != 2 || ![0, 4, 8, 12].contains(index - locator) {
                var count = 0
                bench.change = { _, answer in
                    count += 1
                    return count == position + 1 ? answer.corrupted(at: index) : answer
                }
                let run = try await bench.run()
                #expect(!isApproved(run), "byte \(index) of answer \(position)")
                #expect(run.outcome.status != .onlineRequest, "byte \(index) of answer \(position)")
            }
        }
    }
}

/// The card leaves, refuses or answers with something else.
@Suite("Kernel 8 ends with cards that misbehave") struct Kernel8FailureTests {
    private static let instructions: [Instruction] = [
        .getProcessingOptions, .exchangeRelayResistanceData, .readRecord, .generateAC,
    ]

    private func bench() throws -> Kernel8Bench {
        var bench = try Kernel8Bench { $0.relayResistance = CardRelayResistance() }
        bench.kernel.relayResistance = RelayResistanceLimits()
        bench.elapsed = .milliseconds(7)
        return bench
    }

    @Test("A card that leaves is presented again", arguments: instructions) func removed(_ instruction: Instruction)
        async throws
    {
        var bench = try bench()
        bench.faults = [CardFault(.silence, at: .command(instruction, occurrence: 1))]
        let run = try await bench.run()
        #expect(run.shown.contains(UserInterfaceRequest(.presentCardAgain, .readyToRead)))
        #expect(run.outcome.status == .approved)
    }

    @Test("A refusal ends it, before keys the next application comes", arguments: instructions) func refused(
        _ instruction: Instruction
    ) async throws {
        var bench = try bench()
        bench.faults = [CardFault(.status(.conditionsNotSatisfied), at: .every(instruction))]
        let outcome = try await bench.run().outcome
        #expect(outcome.status == .endApplication)
        let expected: ContactlessReason =
            instruction == .getProcessingOptions
            ? .termination(.emptyCandidateList) : .termination(.commandFailed(instruction, .conditionsNotSatisfied))
        #expect(outcome.reason == expected)
        if instruction != .getProcessingOptions {
            #expect(outcome.discretionaryData[.errorIndication].map { Array($0[..<5]).hex } == "0003006985")
        }
    }

    @Test("Every shortened answer", arguments: instructions) func truncated(_ instruction: Instruction) async throws {
        var bench = try bench()
        let whole = try await bench.run()
        let position = try #require(whole.sent.firstIndex { $0.instruction == instruction })
        for count in stride(from: 0, to: whole.answers[position].data.count, by: 7) {
            bench.faults = [CardFault(.truncation(to: count), at: .every(instruction))]
            let outcome = try await bench.run().outcome
            #expect(outcome.status == .endApplication || outcome.status == .declined, "\(count)")
        }
    }

    @Test(
        "What GENERATE AC must answer",
        arguments: answerTags)
    func missing(_ tag: TLV.Tag) async throws {
        var bench = try bench()
        bench.change = { command, answer in
            guard command.instruction == .generateAC else { return answer }
            return ResponseAPDU(tlv(.responseTemplate2, CombinedSignature.objects(of: answer.data, without: [tag])))
        }
        #expect(try await bench.run().outcome.reason == .termination(.missingData(tag)))
    }

    @Test("A qualifier without a curve that the kernel has") func qualifier() async throws {
        var bench = try bench()
        func outcome(_ replacement: String) async throws -> ContactlessOutcome {
            var bench = bench
            bench.change = { command, answer in
                let text = answer.data.hex.replacing("9F2C070200FFFF000000", with: replacement)
                guard command.instruction == .select, let data = try? [UInt8](hex: text) else { return answer }
                return ResponseAPDU(data)
            }
            return try await bench.run().outcome
        }
        #expect(try await outcome("9F2C0702FFFFFF000000").reason == .termination(.invalidData(.cardQualifier)))
        #expect(try await outcome("9F2C070000FFFF000000").reason == .termination(.emptyCandidateList))
        #expect(try await outcome("9F2D070200FFFF000000").reason == .termination(.emptyCandidateList))
        bench.kernel.suites = [.p521]
        #expect(try await bench.run().outcome.reason == .termination(.invalidData(.cardQualifier)))
    }

    /// `9F8108`: the other interface, a message that is allowed, one that is not.
    @Test("A card that declines may send its holder elsewhere") func restart() async throws {
        func run(_ restart: String?) async throws -> VirtualTap.Run {
            let bench = try Kernel8Bench(
                { $0.restart = restart.flatMap { try? [UInt8](hex: $0) } },
                profile: { $0.riskRule.declinesAbove = 5_00 })
            return try await bench.run()
        }
        let declined = try await run(nil)
        #expect(declined.outcome.status == .declined)
        #expect(declined.outcome.reason == .cardDeclined)
        #expect(declined.shown.last?.message == .notAuthorized)
        let contacts = try await run("311D")
        #expect(contacts.outcome.status == .tryAnotherInterface)
        #expect(contacts.outcome.alternateInterface == .contactChip)
        #expect(contacts.shown.last?.message == .insertCard)
        #expect(try await run("3214").outcome.alternateInterface == .magneticStripe)
        #expect(try await run("0020").shown.last?.message == .seePhone)
        #expect(try await run("0003").shown.last?.message == .notAuthorized)
        let again = try await run("2021")
        #expect(again.outcome.reason == .presentedTooOften)
        #expect(again.count(.generateAC) == 3)
    }

    @Test("A refund that the card does not authorize ends without a word") func refund() async throws {
        var bench = try Kernel8Bench({ _ in }, profile: { $0.riskRule.declinesAbove = 5_00 })
        bench.request.kind = .refund
        let run = try await bench.run()
        #expect(run.outcome.status == .endApplication)
        #expect(run.shown.last?.message == .clearDisplay)
    }
}
