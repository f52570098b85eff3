import Bytes
import CardCryptography
import Contactless
import EMVKernel
import Kernels
import SmartCard
import TLV
import Testing

/// The public capture: commands as the kernel builds them, certificates and CDA as it checks them.
@Suite struct MastercardCaptureTests {
    @Test func offlineWithCDA() throws {
        let tap = try MastercardTap()
        let run = try tap.run()
        #expect(run.sent == tap.recorded.map(\.command))
        #expect(run.outcome.status == .approved)
        #expect(run.outcome.verification == ContactlessOutcome.Verification.none)
        #expect(run.outcome.data?[.applicationCryptogram]?.hex == "49C27A9F8E4BF538")
        #expect(run.shown.map(\.message) == [.presentCard, .processing, .cardReadRemove, .approved])
    }

    /// EMV Contactless Book C-2, DF8106 and DF8115: three levels of errors, the status word, the
    /// message.
    @Test("Each outcome has the error indication in its discretionary data") func errorIndication() throws {
        var tap = try MastercardTap()
        let approved = try tap.run().outcome
        #expect(approved.discretionaryData[0xDF8115]?.hex == "000000000003")
        tap.number[3] ^= 0x01
        // L2: CAM FAILED, with message 1C: insert, swipe or try another card.
        #expect(try tap.run().outcome.discretionaryData[0xDF8115]?.hex == "00020000001C")
        tap.answers = [("00B2", "6985")]
        // L2: STATUS BYTES.
        #expect(try tap.run().outcome.discretionaryData[0xDF8115]?.hex == "00030069851C")
        for tag: TLV.Tag in [0x9F42, 0x9F5D, 0x9F6E] {
            #expect(approved.discretionaryData[tag] == approved.data?.card[tag])
        }
    }

    /// What was sent for PDOL and CDOL1 is signed, and so is the unpredictable number.
    @Test func theSignatureIsForThisTransaction() throws {
        var tap = try MastercardTap()
        tap.request.amount = 2
        let amount = try tap.run().outcome
        #expect(amount.reason == .dataAuthentication(.signature(.transactionDataHash)))
        tap = try MastercardTap()
        tap.number[3] ^= 0x01
        let number = try tap.run().outcome
        #expect(number.reason == .dataAuthentication(.signature(.hash)))
        for outcome in [amount, number] {
            #expect(outcome.status == .endApplication)
            #expect(
                outcome.onOutcome == UserInterfaceRequest(.insertSwipeOrTryAnotherCard, .processingError, holdTime: 13))
        }
    }

    @Test(arguments: [("9F270140", "9F270180"), ("9F360202E0", "9F360202E1"), ("9F101A2210", "9F101A2211")])
    func everythingInTheAnswerIsSigned(what: String, other: String) throws {
        var tap = try MastercardTap()
        tap.answers = [("80AE", tap.recorded[tap.recorded.count - 1].answer.replacing(what, with: other))]
        let outcome = try tap.run().outcome
        #expect(outcome.status == .endApplication)
        guard case .dataAuthentication(.signature) = outcome.reason else {
            Issue.record("\(String(describing: outcome.reason))")
            return
        }
    }

    @Test func withoutTheAuthoritysKeyADeclineIsAskedFor() throws {
        var tap = try MastercardTap()
        tap.terminal.caKeys.removeAll { $0.index == 0xF3 }
        let run = try tap.run()
        #expect(run.asked == "00")
        // The recorded card answers with a TC all the same, more than was asked for.
        #expect(run.outcome.status == .endApplication)
        #expect(run.outcome.reason == .termination(.unexpectedCryptogram(requested: .aac, answered: 0x40)))
    }

    @Test func anAnswerWithoutItsSignature() throws {
        var tap = try MastercardTap()
        tap.answers = [("80AE", try MastercardTap.answer("40"))]
        #expect(try tap.run().outcome.reason == .termination(.missingData(.signedDynamicApplicationData)))
    }
}

@Suite struct MastercardInitiationTests {
    @Test func refusalsGoToTheNextApplication() throws {
        for status in ["6985", "6A81", "6984"] {
            var tap = try MastercardTap()
            tap.answers = [("80A8", status)]
            #expect(try tap.run().outcome.reason == .termination(.emptyCandidateList))
        }
    }

    @Test func magstripeModeIsNotTaken() throws {
        var tap = try MastercardTap()
        tap.kernel.supportsMagstripeMode = false
        tap.answers = [("80A8", tap.recorded[2].answer.replacing("82025980", with: "82025900"))]
        #expect(try tap.run().outcome.reason == .magstripeModeOnly)
    }

    /// S3: a reader without mag-stripe mode reads the record of an entry that may be for EMV mode
    /// alone.
    @Test("A first entry 08010100 is skipped by a reader of both modes only") func firstEntry() throws {
        var tap = try MastercardTap()
        #expect(try !tap.run().sent.contains("00B2010C00"))
        tap.kernel.supportsMagstripeMode = false
        let run = try tap.run()
        #expect(run.sent.contains("00B2010C00"))
        tap.answers = [("00B2010C", "70009000")]
        #expect(try tap.run().outcome.status == .approved)
    }

    @Test(arguments: [
        "77049404080101009000", "7704820259809000", "800259809000", "77069000", "770A820259809400" + "9F2700" + "9000",
    ])
    func missingProfileOrLocator(answer: String) throws {
        var tap = try MastercardTap()
        tap.answers = [("80A8", answer)]
        #expect(try tap.run().outcome.status == .endApplication)
    }

    @Test("Processing options in format 1 are read") func formatOne() throws {
        var tap = try MastercardTap()
        tap.answers = [("80A8", "8012" + "5980" + "08010100" + "10010101" + "18010200" + "20010200" + "9000")]
        #expect(try tap.run().outcome.status == .approved)
    }

    /// DF8124 and DF8125: the greater limit needs a device on both sides.
    @Test("The greater limit needs verification on the device on both sides") func limits() throws {
        func reason(_ amount: UInt64, _ profile: String, device: Bool = true) throws -> ContactlessReason? {
            var tap = try MastercardTap()
            try tap.withoutSignatures(profile: profile)
            tap.kernel.supportsDeviceVerification = device
            tap.request.amount = amount
            return try tap.run().outcome.reason
        }
        let next = ContactlessReason.termination(.emptyCandidateList)
        #expect(try reason(100_00, "1880") != next)
        #expect(try reason(100_01, "1880") == next)
        #expect(try reason(100_01, "1A80") != next)
        #expect(try reason(200_01, "1A80") == next)
        #expect(try reason(100_01, "1A80", device: false) == next)
    }

    @Test(
        "A card without a mandatory data object ends the tap",
        arguments: [TLV.Tag.applicationPAN, .cdol1, .applicationExpirationDate])
    func mandatoryRecords(tag: TLV.Tag) throws {
        var tap = try MastercardTap()
        var contents = TLVBuilder()
        let record = try [UInt8](hex: String(tap.recorded[3].answer.dropLast(4)))
        var walker = TLVWalker()
        while let node = try walker.next(in: record.span) {
            if node.depth == 1, node.tag != tag { contents.append(node.tag, record[node.value]) }
        }
        tap.answers = [("00B2011400", tlv(.recordTemplate, contents.bytes).hex + "9000")]
        #expect(try tap.run().outcome.reason == .termination(.missingData(tag)))
    }

    @Test func aCardThatLeavesAtAnyCommand() throws {
        let commands = try MastercardTap().recorded.map { String($0.command.prefix(10)) }
        for command in commands {
            var tap = try MastercardTap()
            tap.answers = [(command, "")]
            let run = try tap.run()
            #expect(run.shown.contains(UserInterfaceRequest(.presentCardAgain, .readyToRead)), "\(command)")
            #expect(run.outcome.reason == .presentedTooOften, "\(command)")
        }
    }
}

/// 7.5 to 7.8 with a card that signs nothing.
@Suite struct MastercardDecisionTests {
    private func run(
        _ profile: String = "1880", list: String? = "00000000000000001F03", information: String = "80",
        more: String = "",
        _ change: (inout MastercardTap) -> Void = { _ in }
    ) throws -> MastercardTap.Run {
        var tap = try MastercardTap()
        tap.terminal.type = .attendedOnlineWithOfflineCapability
        try tap.withoutSignatures(profile: profile, cvmList: list, information: information, more: more)
        change(&tap)
        return try tap.run()
    }

    private func results(_ run: MastercardTap.Run) -> String? { run.outcome.data?[.cvmResults]?.hex }

    @Test func verificationByTheCardsList() throws {
        #expect(try results(run()) == "1F0302")
        #expect(try results(run("0880")) == "3F0000")
        let missing = try run(list: nil)
        #expect(results(missing) == "3F0000")
        #expect(missing.outcome.data?[.terminalVerificationResults]?.hex.prefix(2) == "A0")
        let signature = try run(list: "00000000000000005E031F03") { $0.request.amount = 25_01 }
        #expect(results(signature) == "5E0300")
        #expect(signature.outcome.verification == .signature)
        #expect(signature.outcome.wantsReceipt)
        #expect(try results(run(list: "00000000000000005E031F03") { $0.request.amount = 25_00 }) == "1F0302")
        // The issuer's denial code is 0010880000: a cardholder who is not verified is declined.
        #expect(try run(list: "00000000000000001E03").asked == "00")
    }

    @Test func onlinePINIsNeverApprovedOffline() throws {
        let run = try run(list: "00000000000000004203") {
            $0.kernel.verificationBelowLimit = .encipheredOnlinePIN
        }
        #expect(run.outcome.status == .onlineRequest)
        #expect(run.outcome.verification == .onlinePIN)
        #expect(results(run) == "420300")
        #expect(run.asked == "80")
    }

    /// On the device: only with the card's signature, which this card does not give.
    @Test func aDeviceWithoutASignatureIsDeclined() throws {
        #expect(try run("1A80").asked == "00")
        #expect(try run("1A80", information: "00") { $0.request.amount = 30_00 }.outcome.status == .tryAnotherInterface)
    }

    @Test func aPhoneThatWantsItsOwner() throws {
        let run = try run("1A80", information: "00", more: "DF4B03000100")
        #expect(run.shown.contains(UserInterfaceRequest(.seePhone, .notReady, holdTime: 13)))
        // S910.80: the same message when the phone is waited for.
        #expect(run.shown.contains(UserInterfaceRequest(.seePhone, .readyToRead)))
    }

    /// S910.75: status Not Ready; hold time DF812D but for an online request and for what ends
    /// without a word.
    @Test("The last message of each end", arguments: [0, 13] as [UInt32]) func lastMessage(_ time: UInt32) throws {
        func last(_ information: String, _ change: (inout MastercardTap) -> Void = { _ in }) throws
            -> UserInterfaceRequest?
        {
            try run(information: information) { tap in
                tap.kernel.messageHoldTime = time
                change(&tap)
            }.outcome.onOutcome
        }
        #expect(try last("80") == UserInterfaceRequest(.authorizing, .notReady))
        #expect(try last("00") == UserInterfaceRequest(.insertCard, .notReady, holdTime: time))
        #expect(
            try last("00") { $0.terminal.capabilities.remove(.contactChip) }
                == UserInterfaceRequest(.notAuthorized, .notReady, holdTime: time))
        #expect(try last("00") { $0.request.kind = .refund } == UserInterfaceRequest(.clearDisplay, .notReady))
        var tap = try MastercardTap()
        tap.kernel.messageHoldTime = time
        #expect(try tap.run().outcome.onOutcome == UserInterfaceRequest(.approved, .notReady, holdTime: time))
    }

    /// S456: above DF8126 there is a receipt, whatever verifies the cardholder.
    @Test("A receipt above the limit for verification", arguments: [(25_00 as UInt64, false), (25_01, true)])
    func receipt(amount: UInt64, wanted: Bool) throws {
        let outcome = try run(list: "00000000000000001F03") { tap in
            tap.kernel.verificationAboveLimit = .noCVM
            tap.request.amount = amount
        }.outcome
        #expect(outcome.status == .onlineRequest)
        #expect(outcome.verification != .signature)
        #expect(outcome.wantsReceipt == wanted)
    }

    /// DF8131 as the book has it: five bits of DF4B, each with message 20 and status 00.
    @Test(
        "The phone message table decides what a phone's owner reads",
        arguments: ["000001", "000800", "000400", "000100", "000200"])
    func phoneMessages(_ interaction: String) throws {
        let card = "DF4B03" + interaction
        #expect(
            try run("1A80", information: "00", more: card).shown.contains(
                UserInterfaceRequest(.seePhone, .notReady, holdTime: 13)))
        let own = try run("1A80", information: "00", more: card) {
            $0.kernel.phoneMessages = [
                .init(mask: 0xFF_FFFF, value: 0x00_0400, message: .enterPIN, status: .processingError),
                .init(mask: 0x00_0001, value: 0x00_0000, message: .clearDisplay, status: .idle),
            ]
        }
        let expected =
            switch interaction {
            case "000400": UserInterfaceRequest(.enterPIN, .processingError, holdTime: 13)
            case "000001": UserInterfaceRequest(.notAuthorized, .notReady, holdTime: 13)
            default: UserInterfaceRequest(.clearDisplay, .idle, holdTime: 13)
            }
        #expect(own.shown.contains(expected))
    }

    @Test("DF812D: the last message is shown as long as the terminal says", arguments: [0, 40] as [UInt32])
    func messageHoldTime(_ time: UInt32) throws {
        let phone = try run("1A80", information: "00", more: "DF4B03000001") { $0.kernel.messageHoldTime = time }
        #expect(phone.shown.contains(UserInterfaceRequest(.seePhone, .notReady, holdTime: time)))
        var tap = try MastercardTap()
        tap.number[3] ^= 0x01
        tap.kernel.messageHoldTime = time
        #expect(try tap.run().outcome.onOutcome?.holdTime == time)
    }

    @Test("A TVR bit that an action code names; the relay resistance bit is always set (01, not performed)")
    func actionAnalysis() throws {
        #expect(try run().asked == "80")
        #expect(try run { $0.kernel.actionCodes.denial = .init(rawValue: 0x80_0000_0000) }.asked == "00")
        #expect(try run { $0.terminal.type = .attendedOnlineOnly }.asked == "80")
        func exceedsFloorLimit(_ amount: UInt64) throws -> Bool? {
            let run = try run {
                $0.kernel.verificationAboveLimit = .noCVM
                $0.request.amount = amount
            }
            return run.outcome.data?[.terminalVerificationResults].flatMap(TerminalVerificationResults.init)?.contains(
                .floorLimitExceeded)
        }
        #expect(try exceedsFloorLimit(50_00) == false)
        #expect(try exceedsFloorLimit(50_01) == true)
    }

    /// The book has no exception file: the issuer decides on a listed card, or nobody.
    @Test("A card on the exception file is not approved offline") func exceptionFile() throws {
        var tap = try MastercardTap()
        tap.terminal.type = .attendedOnlineWithOfflineCapability
        #expect(try tap.run().asked == "50")
        tap.isListed = { $0 == Array("5413339000001513".utf8) }
        #expect(try tap.run().asked == "90")
        // An AAC, of which the card may sign the answer.
        tap.terminal.type = .unattendedOfflineOnly
        #expect(try tap.run().asked == "10")
    }

    /// A card may only ask for less than the terminal.
    @Test func whatTheCardMayAnswer() throws {
        #expect(try run(information: "80").outcome.status == .onlineRequest)
        #expect(try run(information: "40").outcome.status == .endApplication)
        #expect(try run(information: "C0").outcome.status == .endApplication)
    }

    @Test func aDeclineGoesToTheContactsUnlessItIsADevice() throws {
        let card = try run(information: "00")
        #expect(card.outcome.status == .tryAnotherInterface)
        #expect(card.outcome.alternateInterface == .contactChip)
        #expect(
            try run(information: "00") { $0.terminal.capabilities.remove(.contactChip) }.outcome.status == .declined)
    }

    /// EMV Contactless Book C-2, S910.74 and S910.75: purchases and cash only are declined, or are
    /// for the contacts.
    @Test(
        "A refund that the card declines ends without a word, with contacts and without them", arguments: [true, false])
    func declinedRefund(hasContacts: Bool) throws {
        let outcome = try run(information: "00") { tap in
            tap.request.kind = .refund
            if !hasContacts { tap.terminal.capabilities.remove(.contactChip) }
        }.outcome
        #expect(outcome.status == .endApplication)
        #expect(outcome.onOutcome?.message == .clearDisplay)
        #expect(outcome.alternateInterface == nil)
        for kind in [TransactionRequest.Kind.cash, .purchaseWithCashback] {
            #expect(try run(information: "00") { $0.request.kind = kind }.outcome.status == .tryAnotherInterface)
        }
    }

    @Test("A card never pays out a refund alone: no TC is asked for, offline only an AAC") func refundWithoutIssuer()
        throws
    {
        var tap = try MastercardTap()
        tap.terminal.type = .attendedOnlineWithOfflineCapability
        #expect(try tap.run().asked == "50", "a purchase")
        tap.request.kind = .refund
        #expect(try tap.run().asked == "90")
        tap.terminal.type = .unattendedOfflineOnly
        #expect(try tap.run().asked == "10")
    }
}
