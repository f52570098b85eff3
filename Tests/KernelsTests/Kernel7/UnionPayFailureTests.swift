import Contactless
import EMVKernel
import Kernels
import SmartCard
import TLV
import Testing
import VirtualCard
import VirtualTap

@Suite("UnionPay: cards that fail, and cards of two systems") struct UnionPayFailureTests {
    @Test(
        "Status words of GET PROCESSING OPTIONS",
        arguments: [
            (0x6984 as StatusWord, ContactlessOutcome.Status.tryAnotherInterface, ContactlessReason.otherInterface),
            (0x6985, .endApplication, .termination(.emptyCandidateList)), (0x6986, .endApplication, .presentedTooOften),
            (0x6A81, .endApplication, .termination(.commandFailed(.getProcessingOptions, 0x6A81))),
        ])
    func refusals(status: StatusWord, outcome: ContactlessOutcome.Status, reason: ContactlessReason) async throws {
        var tap = try VirtualTap.unionPay()
        tap.change = { $0.instruction == .getProcessingOptions ? ResponseAPDU(status: status) : $1 }
        let run = try await tap.run()
        #expect(run.outcome.status == outcome)
        #expect(run.outcome.reason == reason)
    }

    @Test("A locked phone asks for its owner and pays when it is presented again") func lockedPhone() async throws {
        let run = try await VirtualTap.unionPay {
            $0.verifications = [.consumerDevice]
            $0.device = .locked
        }.run()
        #expect(run.shown.contains(UserInterfaceRequest(.seePhone, .processingError, holdTime: 13)))
        #expect(run.outcome.status == .approved)
        #expect(run.outcome.verification == .consumerDevice)
    }

    @Test("A card that leaves at any command is presented again") func torn() async throws {
        let whole = try await VirtualTap.unionPay().run()
        for step in 1...whole.sent.count {
            var tap = try VirtualTap.unionPay()
            tap.faults = [CardFault(.silence, at: .step(step))]
            let run = try await tap.run()
            #expect(run.outcome.status == .approved, "command \(step)")
            #expect(run.shown.contains(UserInterfaceRequest(.presentCardAgain, .readyToRead)), "command \(step)")
            #expect(try tap.isRight(run.outcome))
        }
    }

    @Test(
        "Mandatory data of the answer",
        arguments: [
            TLV.Tag.applicationInterchangeProfile, .applicationTransactionCounter, .applicationCryptogram,
            .issuerApplicationData,
            .track2EquivalentData,
        ])
    func mandatoryData(_ tag: TLV.Tag) async throws {
        var tap = try VirtualTap.unionPay()
        tap.request.amount = 30_00
        tap.change = { command, answer in
            guard command.instruction == .getProcessingOptions,
                let contents = Template.contents(of: answer.data, tag: .responseTemplate2),
                let objects = try? DataElements(parsing: contents)
            else { return answer }
            return ResponseAPDU(
                tlv(.responseTemplate2) {
                    for other in objects.tags where other != tag { $0.append(other, objects[other] ?? []) }
                })
        }
        #expect(try await tap.run().outcome.reason == .termination(.missingData(tag)))
    }

    @Test(
        "Answers that cannot be",
        arguments: [
            ([0x80, 0x06, 0x20, 0x00, 0x08, 0x01, 0x01, 0x00], Termination.missingData(.applicationCryptogram)),
            (
                [0x77, 0x08, 0x9F, 0x36, 0x01, 0x01, 0x9F, 0x36, 0x01, 0x01],
                .repeatedData(.applicationTransactionCounter)
            ),
            ([0x77, 0x05, 0x94, 0x03, 0x08, 0x01, 0x01], .invalidData(.applicationFileLocator)),
        ] as [([UInt8], Termination)])
    func answers(_ answer: [UInt8], _ reason: Termination) async throws {
        var tap = try VirtualTap.unionPay()
        tap.change = { $0.instruction == .getProcessingOptions ? ResponseAPDU(answer) : $1 }
        #expect(try await tap.run().outcome.reason == .termination(reason))
    }

    @Test(
        "A card whose list does not ask for TTQ has no cryptogram for this kernel; a list that is too long is refused")
    func lists() async throws {
        var tap = try VirtualTap.unionPay()
        tap.change = { command, answer in
            guard command.instruction == .select else { return answer }
            return answer.replacing(.pdol, with: [UInt8](repeating: 0x9A, count: DOL.visaContactless.bytes.count))
        }
        #expect(try await tap.run().outcome.reason == .termination(.emptyCandidateList))
        let long = DOL(entries: DOL.visaContactless.entries + [DOL.Entry(.merchantNameAndLocation, 240)])
        #expect(
            try await VirtualTap.unionPay { $0.pdol = long }.run().outcome.reason == .termination(.invalidData(.pdol)))
    }

    @Test("A record cannot set what is the terminal's") func records() async throws {
        var tap = try VirtualTap.unionPay()
        tap.change = { command, answer in
            guard command.instruction == .getProcessingOptions,
                let contents = Template.contents(of: answer.data, tag: .responseTemplate2)
            else { return answer }
            return ResponseAPDU(
                tlv(.responseTemplate2, contents + [0x9F, 0x66, 0x04, 0, 0, 0, 0] + [0x84, 0x05, 1, 2, 3, 4, 5]))
        }
        let run = try await tap.run()
        #expect(run.outcome.data?[.terminalTransactionQualifiers] == run.qualifiers)
        #expect(run.outcome.data?.card[.dfName] == tap.card.profile.applications[0].aid)
    }

    /// One account with two entries in the directory, UnionPay's before Visa's.
    private func coBadged(_ combinations: [Combination], visaFirst: Bool = false) throws -> VirtualTap {
        var tap = try VirtualTap.unionPay(profile: { profile in
            profile.account.pan = CardAccount(pan: "4427802641004797").pan
            profile.applications[0].priority = visaFirst ? 2 : 1
            profile.applications.append(
                CardApplication(
                    aid: [0xA0, 0, 0, 0, 0x03, 0x10, 0x10], label: "VISA CREDIT", priority: visaFirst ? 1 : 2))
        })
        tap.combinations = combinations
        return tap
    }

    @Test("A card of two systems: the directory's priority, among those that the reader takes") func coBadged()
        async throws
    {
        let both: [Combination] = [.visa(limits: .usual), .unionPay(limits: .usual)]
        func application(_ tap: VirtualTap) async throws -> [UInt8]? { try await tap.run().data(of: .select) }
        let unionPay: [UInt8] = [0xA0, 0, 0, 0x03, 0x33, 0x01, 0x01, 0x02]
        let visa: [UInt8] = [0xA0, 0, 0, 0, 0x03, 0x10, 0x10]
        #expect(try await application(coBadged(both)) == unionPay)
        #expect(try await application(coBadged(both, visaFirst: true)) == visa)
        #expect(try await application(coBadged([.visa(limits: .usual)])) == visa)
        #expect(try await application(coBadged([.unionPay(limits: .usual)], visaFirst: true)) == unionPay)
        #expect(try await coBadged(both).run().outcome.status == .approved)
        #expect(try await coBadged(both, visaFirst: true).run().outcome.status == .approved)
    }

    @Test("A card that refuses its first application pays with the second") func secondApplication() async throws {
        var tap = try coBadged([.visa(limits: .usual), .unionPay(limits: .usual)])
        tap.change = { command, answer in
            guard command.instruction == .select, command.data.starts(with: [0xA0, 0, 0, 0x03, 0x33]) else {
                return answer
            }
            return ResponseAPDU(status: .fileNotFound)
        }
        let run = try await tap.run()
        #expect(run.outcome.status == .approved)
        #expect(run.data(of: .select) == [0xA0, 0, 0, 0, 0x03, 0x10, 0x10])
    }
}
