import Contactless
import EMVKernel
import SmartCard
import TLV
import Testing
import VirtualCard
import VirtualTap

@Suite("American Express: cards that fail") struct AmericanExpressFailureTests {
    @Test(
        "Status words of GET PROCESSING OPTIONS",
        arguments: [
            (0x6984 as StatusWord, ContactlessOutcome.Status.tryAnotherInterface, ContactlessReason.otherInterface),
            (0x6985, .endApplication, .termination(.emptyCandidateList)), (0x6986, .endApplication, .presentedTooOften),
            (0x6A81, .endApplication, .termination(.commandFailed(.getProcessingOptions, 0x6A81))),
        ])
    func refusals(status: StatusWord, outcome: ContactlessOutcome.Status, reason: ContactlessReason) async throws {
        var tap = try VirtualTap.americanExpress()
        tap.change = { $0.instruction == .getProcessingOptions ? ResponseAPDU(status: status) : $1 }
        let run = try await tap.run()
        #expect(run.outcome.status == outcome)
        #expect(run.outcome.reason == reason)
    }

    @Test("A locked phone asks for its owner and pays when it is presented again") func lockedPhone() async throws {
        let run = try await VirtualTap.americanExpress { $0.device = .locked }.run()
        #expect(run.shown.contains(UserInterfaceRequest(.seePhone, .processingError, holdTime: 13)))
        #expect(run.shown.contains(UserInterfaceRequest(.presentCardAgain, .readyToRead)))
        #expect(run.outcome.status == .approved)
        #expect(run.outcome.verification == .consumerDevice)
    }

    @Test("A card that leaves at any command is presented again, and computes another cryptogram") func torn()
        async throws
    {
        let whole = try await VirtualTap.americanExpress().run()
        for step in 1...whole.sent.count {
            var tap = try VirtualTap.americanExpress()
            tap.faults = [CardFault(.silence, at: .step(step))]
            let run = try await tap.run()
            #expect(run.outcome.status == .approved, "command \(step)")
            #expect(run.shown.contains(UserInterfaceRequest(.presentCardAgain, .readyToRead)), "command \(step)")
            #expect(try tap.isRight(run.outcome))
            if step == whole.sent.count {
                #expect(run.count(.generateAC) == 2)
                #expect(run.outcome.data?[.applicationTransactionCounter] == [0x00, 0x02])
            }
            tap.maximumPresentations = 1
            #expect(try await tap.run().outcome.reason == .presentedTooOften)
        }
    }

    @Test("A card without EMV mode is not taken") func magstripeMode() async throws {
        var tap = try VirtualTap.americanExpress()
        tap.change = { $1.replacing(.applicationInterchangeProfile, with: [0x19, 0x00]) }
        #expect(try await tap.run().outcome.reason == .magstripeModeOnly)
    }

    @Test(
        "Processing options that are malformed, or lack AIP or AFL",
        arguments: [
            ([0x77, 0x00], Termination.missingData(.applicationInterchangeProfile)),
            ([0x77, 0x04, 0x82, 0x02, 0x19, 0x80], .missingData(.applicationFileLocator)),
            (
                [0x77, 0x09, 0x82, 0x01, 0x19, 0x94, 0x04, 0x08, 0x01, 0x01, 0x00],
                .invalidData(.applicationInterchangeProfile)
            ),
            ([0x80, 0x01, 0x19], .malformedAnswer(.getProcessingOptions, nil)),
            ([0x77, 0x09, 0x82, 0x02, 0x19, 0x80, 0x94, 0x03, 0x08, 0x01, 0x01], nil),
        ] as [([UInt8], Termination?)])
    func options(_ answer: [UInt8], _ reason: Termination?) async throws {
        var tap = try VirtualTap.americanExpress()
        tap.change = { $0.instruction == .getProcessingOptions ? ResponseAPDU(answer) : $1 }
        let outcome = try await tap.run().outcome
        #expect(outcome.status == .endApplication)
        if let reason { #expect(outcome.reason == .termination(reason)) }
    }

    @Test("Mandatory data of the records", arguments: [TLV.Tag.applicationPAN, .applicationExpirationDate, .cdol1])
    func mandatoryData(_ tag: TLV.Tag) async throws {
        var tap = try VirtualTap.americanExpress()
        tap.change = { command, answer in
            guard command.instruction == .readRecord,
                let contents = Template.contents(of: answer.data, tag: .recordTemplate),
                let objects = try? DataElements(parsing: contents)
            else { return answer }
            return ResponseAPDU(
                tlv(.recordTemplate) {
                    for other in objects.tags where other != tag { $0.append(other, objects[other] ?? []) }
                })
        }
        #expect(try await tap.run().outcome.reason == .termination(.missingData(tag)))
    }

    @Test("Lists and numbers that cannot be") func invalidData() async throws {
        var tap = try VirtualTap.americanExpress()
        tap.change = {
            $0.instruction == .readRecord ? $1.replacing(.applicationPAN, with: [UInt8](repeating: 0xFF, count: 8)) : $1
        }
        #expect(try await tap.run().outcome.reason == .termination(.invalidData(.applicationPAN)))
        tap.change = { command, answer in
            guard command.instruction == .readRecord,
                let contents = Template.contents(of: answer.data, tag: .recordTemplate),
                let objects = try? DataElements(parsing: contents), let list = objects[.cdol1]
            else { return answer }
            return answer.replacing(.cdol1, with: Array(list.dropLast()) + [0xFF])
        }
        #expect(try await tap.run().outcome.reason == .termination(.invalidData(.cdol1)))
        tap.change = { command, answer in
            guard command.instruction == .select, answer.data.contains(0x38) else { return answer }
            return answer.replacing(.pdol, with: [0x9F, 0x35, 0xFF, 0x9F, 0x6E, 0xFF])
        }
        #expect(try await tap.run().outcome.reason == .termination(.invalidData(.pdol)))
        tap.change = { command, answer in
            guard command.instruction == .readRecord,
                let contents = Template.contents(of: answer.data, tag: .recordTemplate),
                let objects = try? DataElements(parsing: contents), let list = objects[.cdol1]
            else { return answer }
            return answer.replacing(.cdol1, with: [UInt8](repeating: 0xDF, count: list.count))
        }
        #expect(try await tap.run().outcome.reason == .termination(.invalidData(.cdol1)))
    }

    @Test(
        "Answers to GENERATE AC that cannot be",
        arguments: [
            (
                "9F270140" + "9F36020001" + "9F26080102030405060708",
                Termination.missingData(.signedDynamicApplicationData)
            ),
            (
                "9F2701C0" + "9F36020001" + "9F26080102030405060708",
                .unexpectedCryptogram(requested: .tc, answered: 0xC0)
            ),
            ("9F36020001" + "9F26080102030405060708", .missingData(.cryptogramInformationData)),
            ("9F270100" + "9F360101" + "9F26080102030405060708", .invalidData(.applicationTransactionCounter)),
            ("9F270100" + "9F36020001", .missingData(.applicationCryptogram)),
            ("9F270100" + "9F36020001" + "9F260101", .invalidData(.applicationCryptogram)),
            ("9F270100" + "9F270100" + "9F36020001", .repeatedData(.cryptogramInformationData)),
        ])
    func cryptograms(_ contents: String, _ reason: Termination) async throws {
        var tap = try VirtualTap.americanExpress()
        let value = stride(from: 0, to: contents.count, by: 2).compactMap { offset in
            let start = contents.index(contents.startIndex, offsetBy: offset)
            return UInt8(contents[start..<contents.index(start, offsetBy: 2)], radix: 16)
        }
        tap.change = { $0.instruction == .generateAC ? ResponseAPDU(tlv(.responseTemplate2, value)) : $1 }
        #expect(try await tap.run().outcome.reason == .termination(reason))
        tap.change = { $0.instruction == .generateAC ? ResponseAPDU(status: 0x6985) : $1 }
        #expect(try await tap.run().outcome.reason == .termination(.commandFailed(.generateAC, 0x6985)))
    }

    @Test("Membership data of the records reach the acquirer's side, the reader's own cannot be set") func records()
        async throws
    {
        var tap = try VirtualTap.americanExpress()
        tap.change = { command, answer in
            guard command.instruction == .readRecord, command.p1 == 1, command.p2 == 0x1C,
                let contents = Template.contents(of: answer.data, tag: .recordTemplate)
            else { return answer }
            let added: [UInt8] =
                [0x9F, 0x5A, 0x08, 1, 2, 3, 4, 5, 6, 7, 8] + [0x9F, 0x6E, 0x04, 0xFF, 0xFF, 0xFF, 0xFF] + [
                    0x95, 0x05, 1, 1, 1, 1, 1,
                ]
            return ResponseAPDU(tlv(.recordTemplate, contents + added))
        }
        let run = try await tap.run()
        #expect(run.outcome.data?.card[0x9F5A] == [1, 2, 3, 4, 5, 6, 7, 8])
        #expect(run.outcome.data?[0x9F6E] == [0x9C, 0xA0, 0x00, 0x00])
        #expect(run.outcome.data?.card.contains(.terminalVerificationResults) == false)
        #expect(run.outcome.status == .approved)
    }
}
