import Bytes
import Contactless
import EMVKernel
import KernelDoubles
import Kernels
import SmartCard
import TLV
import Testing

/// What goes to the card and what its answer leads to (EMV Contactless Book C-3, 5.2 to 5.4).
@Suite("Visa: what goes to the card, and what its answer leads to") struct InitiationTests {
    /// TTQ is the first of the list.
    private func qualifiers(_ tap: Tap) throws -> String? {
        try tap.run(ScriptedCard()).data(of: "80A8").map { String($0.dropFirst(4).prefix(8)) }
    }

    @Test func qualifiersByLimits() throws {
        var tap = Tap()
        #expect(try qualifiers(tap) == "36004000")
        tap.limits = TransactionLimits(floorLimit: 9_99)
        #expect(try qualifiers(tap) == "36804000")
        tap.limits = TransactionLimits(cvmRequiredLimit: 10_00)
        #expect(try qualifiers(tap) == "36404000")
    }

    @Test func onlineOnlyTerminalsWantAnOnlineCryptogram() throws {
        var tap = Tap()
        tap.terminal.type = .attendedOnlineOnly
        #expect(try qualifiers(tap) == "36804000")
        tap.terminal.type = .attendedOnlineWithOfflineCapability
        tap.request.forcesOnline = true
        #expect(try qualifiers(tap) == "36804000")
    }

    @Test func magstripeModeIsNotOffered() throws {
        var tap = Tap()
        tap.qualifiers.insert(.magstripeMode)
        #expect(try qualifiers(tap) == "36004000")
    }

    @Test func cashbackIsAPurchaseForTheCard() throws {
        var tap = Tap()
        tap.request.kind = .purchaseWithCashback
        tap.request.amountOther = 5_00
        let data = try #require(try tap.run(ScriptedCard()).data(of: "80A8"))
        #expect(
            data == "8321" + "36004000" + "000000001000" + "000000000500" + "0250" + "0000000000" + "0978" + "260309"
                + "00" + "11223344")
    }

    @Test func aCardWhoseListDoesNotAskForTTQIsNone() throws {
        var card = ScriptedCard()
        card.pdol = "9F0206"
        #expect(try Tap().run(card).outcome.reason == .termination(.emptyCandidateList))
    }

    @Test(
        "The card's refusals end the tap or start another interface",
        arguments: [
            (0x6984 as StatusWord, ContactlessOutcome.Status.tryAnotherInterface, ContactlessReason.otherInterface),
            (0x6985, .endApplication, .termination(.emptyCandidateList)),
            (0x6986, .endApplication, .presentedTooOften),
            (0x6A80, .endApplication, .termination(.commandFailed(.getProcessingOptions, 0x6A80))),
        ])
    func refusals(status: StatusWord, outcome: ContactlessOutcome.Status, reason: ContactlessReason) throws {
        var card = ScriptedCard()
        card.optionsStatus = status
        let run = try Tap().run(card)
        #expect(run.outcome.status == outcome)
        #expect(run.outcome.reason == reason)
    }

    @Test func aPhoneThatWantsItsOwner() throws {
        var card = ScriptedCard()
        card.optionsStatus = 0x6986
        let run = try Tap().run(card)
        #expect(run.shown.contains(UserInterfaceRequest(.seePhone, .processingError, holdTime: 13)))
        #expect(run.shown.contains(UserInterfaceRequest(.presentCardAgain, .readyToRead)))
    }

    @Test func theOtherInterfaceIsTheContactChip() throws {
        var card = ScriptedCard()
        card.optionsStatus = 0x6984
        let outcome = try Tap().run(card).outcome
        #expect(outcome.alternateInterface == .contactChip)
        #expect(outcome.onOutcome == UserInterfaceRequest(.insertCard, .processingError))
    }

    @Test(
        "5.4.2.1",
        arguments: [
            TLV.Tag.applicationInterchangeProfile, .applicationTransactionCounter, .applicationCryptogram,
            .issuerApplicationData,
            .track2EquivalentData,
        ])
    func mandatoryData(tag: TLV.Tag) throws {
        let run = try Tap().run(ScriptedCard().with([(tag, nil)]))
        #expect(run.outcome.status == .endApplication)
        #expect(run.outcome.reason == .termination(.missingData(tag)))
        #expect(run.shown.last?.message == .insertSwipeOrTryAnotherCard)
    }

    @Test(arguments: [
        (TLV.Tag.applicationCryptogram, "4832"), (.applicationInterchangeProfile, "20"),
        (.cardTransactionQualifiers, "00"),
        (.track2EquivalentData, "4761739001010010"),
    ])
    func wronglyCodedData(tag: TLV.Tag, value: String) throws {
        #expect(try Tap().run(ScriptedCard().with([(tag, value)])).outcome.reason == .termination(.invalidData(tag)))
    }

    @Test func anotherNumberThanTheTracks() throws {
        let run = try Tap().run(ScriptedCard().with([(.applicationPAN, "4761739001010028")]))
        #expect(run.outcome.reason == .termination(.invalidData(.applicationPAN)))
    }

    @Test func aDataObjectTwice() throws {
        var card = ScriptedCard()
        card.options.append((.applicationTransactionCounter, "0078"))
        #expect(try Tap().run(card).outcome.reason == .termination(.repeatedData(.applicationTransactionCounter)))
        card = ScriptedCard().with([(.applicationFileLocator, "08010100")])
        card.records[0x010C] = "70045F340102"
        #expect(try Tap().run(card).outcome.reason == .termination(.repeatedData(.panSequenceNumber)))
    }

    @Test(arguments: ["8006" + "2000" + "08010100", "70023030", "77", "7705"]) func answersThatAreNone(hex: String)
        throws
    {
        var card = ScriptedCard()
        card.answers = [("80A8", hex + "9000")]
        #expect(try Tap().run(card).outcome.status == .endApplication)
    }

    /// A card's data do not change the terminal's own amount.
    @Test func theCardCannotSetTheTerminalsData() throws {
        let run = try Tap().run(
            ScriptedCard().with([(.amountAuthorised, "000000000001"), (.terminalTransactionQualifiers, "FFFFFFFF")]))
        #expect(run.outcome.data?[.amountAuthorised]?.hex == "000000001000")
        #expect(run.outcome.data?.card.contains(.amountAuthorised) == false)
    }

    @Test("4.1.1.1: the last four bits say how the card was read") func formFactorIndicator() throws {
        let run = try Tap().run(ScriptedCard().with([(.formFactorIndicator, "2388FFFF")]))
        #expect(run.outcome.data?[.formFactorIndicator]?.hex == "2388FFF0")
    }

    @Test func aCardThatLeavesIsPresentedAgain() throws {
        var card = ScriptedCard()
        card.answers = [("80A8", "")]
        let run = try Tap().run(card)
        #expect(run.shown.map(\.message).prefix(4) == [.presentCard, .processing, .presentCardAgain, .processing])
        #expect(run.outcome.reason == .presentedTooOften)
    }
}

@Suite("Visa: what the issuer receives with the cryptogram") struct CryptogramTests {
    private func status(_ information: String, _ change: (inout Tap) -> Void = { _ in }) throws -> ContactlessOutcome {
        var tap = Tap()
        change(&tap)
        return try tap.run(ScriptedCard().with([(.cryptogramInformationData, information)])).outcome
    }

    @Test func whatTheCardWants() throws {
        #expect(try status("80").status == .onlineRequest)
        #expect(try status("00").reason == .cardDeclined)
        #expect(try status("00").status == .declined)
        #expect(try status("C0").reason == .reservedCryptogram)
        // Offline without a signature: not authentic.
        #expect(try status("40").status == .declined)
        #expect(try status("40") { $0.request.forcesOnline = true }.status == .onlineRequest)
    }

    @Test(arguments: ["00", "40", "80"]) func aRefundIsTheIssuers(information: String) throws {
        #expect(try status(information) { $0.request.kind = .refund }.status == .onlineRequest)
    }

    /// Byte 5 of the issuer application data, bits 6 and 5.
    @Test(arguments: [("A0", ContactlessOutcome.Status.onlineRequest), ("80", .declined), ("90", .declined)])
    func withoutCID(results: String, status: ContactlessOutcome.Status) throws {
        let card = ScriptedCard().with([
            (.cryptogramInformationData, nil), (.issuerApplicationData, "06010A03\(results)0000"),
        ])
        let outcome = try Tap().run(card).outcome
        #expect(outcome.status == status)
        #expect((outcome.reason == .cardDeclined) == (results == "80"))
    }

    @Test func anOfflineOnlyReaderAsksNobody() throws {
        let outcome = try status("80") { $0.qualifiers.insert(.offlineOnlyReader) }
        #expect(outcome.status == .declined)
        #expect(outcome.reason == .issuerNotReachable)
        #expect(try status("80") { $0.terminal.type = .attendedOfflineOnly }.reason == .issuerNotReachable)
    }

    @Test func whatTheIssuerReceives() throws {
        let card = ScriptedCard().with([(.formFactorIndicator, "23880000"), (.customerExclusiveData, "0102")])
        let data = try #require(try Tap().run(card).outcome.data)
        let elements = data.shareable
        for tag: TLV.Tag in [
            .amountAuthorised, .amountOther, .applicationCryptogram, .applicationInterchangeProfile,
            .applicationTransactionCounter, .panSequenceNumber, .customerExclusiveData, .issuerApplicationData,
            .pointOfServiceEntryMode, .terminalCountryCode, .terminalCapabilities, .transactionCurrencyCode,
            .transactionDate, .transactionType, .unpredictableNumber, .terminalVerificationResults,
            .formFactorIndicator,
        ] { #expect(elements.contains(tag), "\(tag)") }
        #expect(elements[.terminalVerificationResults]?.hex == "0000000000")
        #expect(!elements.contains(.track2EquivalentData))
        let sent = try DataElements(parsing: HostMessage.authorization.field55(elements))
        #expect(sent.contains(.formFactorIndicator))
        #expect(sent.contains(.customerExclusiveData))
    }
}

/// EMV Contactless Book C-3, 5.5: only where the card approves offline.
@Suite("Visa: restrictions where the card approves offline") struct RestrictionTests {
    private func reason(
        _ changes: [(TLV.Tag, String?)], _ change: (inout Tap) -> Void = { _ in }
    ) throws -> (status: ContactlessOutcome.Status, reason: ContactlessReason?) {
        var tap = Tap()
        change(&tap)
        let valid: [(TLV.Tag, String?)] = [(.cryptogramInformationData, "40"), (.applicationExpirationDate, "261231")]
        let outcome = try tap.run(ScriptedCard().with(valid + changes)).outcome
        return (outcome.status, outcome.reason)
    }

    @Test("An application without a date or past it is expired") func expiry() throws {
        #expect(try reason([(.applicationExpirationDate, "260308")]).reason == .expired)
        #expect(try reason([(.applicationExpirationDate, nil)]).reason == .expired)
        #expect(try reason([(.applicationExpirationDate, "261331")]).reason == .expired)
        #expect(try reason([(.applicationExpirationDate, "260309")]).reason != .expired)
        #expect(
            try reason([(.applicationExpirationDate, "260308"), (.cardTransactionQualifiers, "0800")]).status
                == .onlineRequest)
    }

    @Test("A listed card is declined") func exceptionFile() throws {
        #expect(
            try reason([]) { $0.environment.isListed = { $0 == Array("4761739001010010".utf8) } }.reason
                == .onExceptionFile)
    }

    @Test("The usage control decides on cash and cashback") func usage() throws {
        let purchase: (inout Tap) -> Void = { $0.request.kind = .purchase }
        let cash: (inout Tap) -> Void = { $0.request.kind = .cash }
        let cashback: (inout Tap) -> Void = {
            $0.request.kind = .purchaseWithCashback
            $0.request.amountOther = 1_00
        }
        let abroad: [(TLV.Tag, String?)] = [(.applicationUsageControl, "8080"), (.issuerCountryCode, "0840")]
        let home: [(TLV.Tag, String?)] = [(.applicationUsageControl, "8080"), (.issuerCountryCode, "0250")]
        #expect(try reason(abroad, purchase).reason != .serviceNotAllowed)
        for kind in [cash, cashback] {
            #expect(try reason(abroad, kind).reason == .serviceNotAllowed)
            #expect(try reason(home, kind).reason != .serviceNotAllowed)
            #expect(try reason([(.applicationUsageControl, "8080")], kind).reason == .serviceNotAllowed)
        }
        try saysNothing([cash, cashback], purchase)
        #expect(try reason(abroad + [(.cardTransactionQualifiers, "0400")], cash).status == .tryAnotherInterface)
        #expect(try reason(abroad + [(.cardTransactionQualifiers, "0200")], cash).status == .declined)
        #expect(try reason(abroad + [(.cardTransactionQualifiers, "0200")], cashback).status == .tryAnotherInterface)
        let withoutContacts: (inout Tap) -> Void = {
            $0.request.kind = .cash
            $0.qualifiers.remove(.contactChip)
        }
        #expect(try reason(abroad + [(.cardTransactionQualifiers, "0400")], withoutContacts).status == .declined)
    }

    /// EMV Contactless Book C-3, 5.5.1.3 (cash) and 5.5.1.4 (cashback): the card must have `9F07`,
    /// `5F28` and the bit of the place.
    private func saysNothing(_ kinds: [(inout Tap) -> Void], _ purchase: (inout Tap) -> Void) throws {
        let silent: [[(TLV.Tag, String?)]] = [
            [(.applicationUsageControl, nil), (.issuerCountryCode, "0250")],
            [(.applicationUsageControl, "FF"), (.issuerCountryCode, "0250")],
            [(.applicationUsageControl, "FFC0"), (.issuerCountryCode, nil)],
            [(.applicationUsageControl, nil), (.issuerCountryCode, nil)],
        ]
        for card in silent {
            for kind in kinds { #expect(try reason(card, kind).reason == .serviceNotAllowed) }
            #expect(try reason(card, purchase).reason != .serviceNotAllowed)
        }
    }

    @Test func onlineNothingOfItIsAsked() throws {
        #expect(
            try reason([(.cryptogramInformationData, "80"), (.applicationExpirationDate, "200101")]).status
                == .onlineRequest)
    }
}

/// EMV Contactless Book C-3, 5.7.
@Suite("Visa: cardholder verification") struct VerificationTests {
    private static let required = TransactionLimits(floorLimit: 50_00, cvmRequiredLimit: 10_00)

    private func outcome(
        _ card: String?, related: String? = nil, limits: TransactionLimits = required,
        _ qualifiers: TerminalTransactionQualifiers
    ) throws -> ContactlessOutcome {
        var tap = Tap()
        tap.limits = limits
        tap.qualifiers = qualifiers.union(.emvMode)
        return try tap.run(
            ScriptedCard().with([(.cardTransactionQualifiers, card), (.cardAuthenticationRelatedData, related)])
        ).outcome
    }

    @Test func aCardThatWantsNothing() throws {
        for card in [nil, "0000"] {
            #expect(
                try outcome(card, limits: TransactionLimits(), [.signature]).verification
                    == ContactlessOutcome.Verification.none)
        }
    }

    @Test func withoutCTQ() throws {
        #expect(try outcome(nil, [.signature, .onlinePIN, .consumerDeviceCVM]).verification == .signature)
        #expect(try outcome(nil, [.onlinePIN, .consumerDeviceCVM]).verification == .onlinePIN)
        #expect(try outcome(nil, [.onlinePIN]).reason == .verificationNotPossible)
        #expect(try outcome(nil, [.consumerDeviceCVM]).reason == .verificationNotPossible)
    }

    @Test func onlinePINBeforeAllOthers() throws {
        #expect(try outcome("C080", [.signature, .onlinePIN, .consumerDeviceCVM]).verification == .onlinePIN)
        #expect(try outcome("C080", [.signature, .consumerDeviceCVM]).verification == .consumerDevice)
        #expect(try outcome("C000", [.signature]).verification == .signature)
        #expect(try outcome("8000", [.signature]).reason == .verificationNotPossible)
        #expect(try outcome("0000", [.signature, .onlinePIN]).reason == .verificationNotPossible)
    }

    @Test func aSignatureWantsAReceipt() throws {
        #expect(try outcome("4000", [.signature]).wantsReceipt)
        #expect(try !outcome("8000", [.onlinePIN]).wantsReceipt)
    }

    /// What the device says of itself is to be what it signed: bytes 6 and 7.
    @Test func consumerDeviceThatSigns() throws {
        #expect(try outcome("0080", related: "01112233440080", [.consumerDeviceCVM]).verification == .consumerDevice)
        for related in ["01112233440000", "011122334400", "0111223344", "01112233448000"] {
            let outcome = try outcome("0080", related: related, [.consumerDeviceCVM])
            #expect(outcome.status == .declined)
            #expect(outcome.reason == .consumerDeviceVerificationDiffers)
        }
    }
}

@Suite struct DynamicReaderLimitTests {
    private func run(_ program: String?, limits: TransactionLimits) throws -> Tap.Run {
        var tap = Tap()
        tap.dynamicReaderLimits = [
            DynamicReaderLimits(programIdentifier: [0x31], limits: TransactionLimits(floorLimit: 0)),
            DynamicReaderLimits(programIdentifier: [0x31, 0x02], limits: limits),
        ]
        var card = ScriptedCard()
        card.program = program
        return try tap.run(card)
    }

    private func qualifiers(_ run: Tap.Run) -> String? {
        run.data(of: "80A8").map { String($0.dropFirst(4).prefix(8)) }
    }

    @Test func theLongestBeginningCounts() throws {
        let limits = TransactionLimits(floorLimit: 10_00, cvmRequiredLimit: 10_00)
        #expect(try qualifiers(run("3102031112", limits: limits)) == "36404000")
        #expect(try qualifiers(run("3103031112", limits: limits)) == "36804000")
        #expect(try qualifiers(run("4202", limits: limits)) == "36004000")
        #expect(try qualifiers(run(nil, limits: limits)) == "36004000")
    }

    @Test func anAmountThatTheProgramRefuses() throws {
        let run = try run("3102", limits: TransactionLimits(transactionLimit: 10_00))
        #expect(run.data(of: "80A8") == nil)
        #expect(run.outcome.reason == .termination(.emptyCandidateList))
    }
}

/// The issuer's update at a second tap.
@Suite struct IssuerUpdateTests {
    private static let response = IssuerResponse(
        responseCode: Array("00".utf8), authenticationData: [1, 2, 3, 4, 5, 6, 7, 8],
        scripts: [
            [0x72, 0x0F, 0x9F, 0x18, 0x04, 0x00, 0x00, 0x00, 0x02, 0x86, 0x06, 0x84, 0x24, 0x00, 0x00, 0x01, 0xAA],
            [0x71, 0x08, 0x86, 0x06, 0x84, 0x18, 0x00, 0x00, 0x01, 0xBB],
        ])

    private func tap(_ ctq: String, _ qualifiers: TerminalTransactionQualifiers) throws -> (
        outcome: ContactlessOutcome, second: Tap.Run?
    ) {
        try tap(ctq, qualifiers, second: ScriptedCard(), Self.response)
    }

    private func tap(
        _ ctq: String, _ qualifiers: TerminalTransactionQualifiers, second: ScriptedCard, _ response: IssuerResponse
    ) throws -> (outcome: ContactlessOutcome, second: Tap.Run?) {
        var tap = Tap()
        tap.qualifiers = qualifiers.union(.emvMode)
        var entryPoint = tap.entryPoint()
        let card = ScriptedCard().with([(.cardTransactionQualifiers, ctq)])
        let first = try Tap.run(&entryPoint, entryPoint.start(), card)
        guard let step = entryPoint.resume(with: response) else { return (first.outcome, nil) }
        return (first.outcome, try Tap.run(&entryPoint, step, second))
    }

    private func answering(_ answers: [(prefix: String, answer: String)]) -> ScriptedCard {
        var card = ScriptedCard()
        card.answers = answers
        return card
    }

    @Test func onlyIfCardAndReaderCan() throws {
        #expect(try tap("0000", .issuerUpdateProcessing).second == nil)
        #expect(try tap("0040", []).second == nil)
        let first = try tap("0040", .issuerUpdateProcessing).outcome
        #expect(first.status == .onlineRequest)
        #expect(first.start == .b)
        #expect(first.onlineResponse == .emvData)
        #expect(first.onRestart == UserInterfaceRequest(.presentCardAgain, .readyToRead))
        #expect(first.fieldOff == 0)
    }

    @Test func authenticationThenScripts() throws {
        let card = answering([("0082", "9000"), ("8418", "9000"), ("8424", "9000")])
        let run = try #require(try tap("0040", .issuerUpdateProcessing, second: card, Self.response).second)
        #expect(
            run.sent == ["00A4040007A000000003101000", "00820000080102030405060708", "8418000001BB", "8424000001AA"])
        #expect(run.outcome.status == .approved)
        #expect(run.outcome.discretionaryData[.issuerScriptResults]?.hex == "2000000000" + "2000000002")
        #expect(run.outcome.discretionaryData[.terminalVerificationResults]?.hex == "0000000000")
    }

    @Test("A card that refuses changes nothing of the issuer's decision") func failuresAreReported() throws {
        let card = answering([("0082", "6300"), ("8418", "6985"), ("8424", "9000")])
        let run = try #require(try tap("0040", .issuerUpdateProcessing, second: card, Self.response).second)
        #expect(run.outcome.status == .approved)
        #expect(run.outcome.discretionaryData[.issuerScriptResults]?.hex == "1100000000" + "2000000002")
        #expect(run.outcome.discretionaryData[.terminalVerificationResults]?.hex == "0000000060")
    }

    @Test func aCardThatLeavesDuringTheUpdate() throws {
        let card = answering([("0082", "9000"), ("8418", "")])
        let run = try #require(try tap("0040", .issuerUpdateProcessing, second: card, Self.response).second)
        #expect(run.outcome.status == .approved)
        #expect(run.outcome.discretionaryData[.issuerScriptResults]?.hex == "1100000000" + "0000000002")
    }

    @Test func theIssuersDeclineStays() throws {
        var response = Self.response
        response.responseCode = Array("05".utf8)
        let card = answering([("0082", "9000"), ("84", "9000")])
        let run = try #require(try tap("0040", .issuerUpdateProcessing, second: card, response).second)
        #expect(run.outcome.status == .declined)
        #expect(run.shown.last?.message == .notAuthorized)
    }

    @Test func scriptsBeyondTheLimitAreNotPerformed() throws {
        let long = [0x71, 0x81, 0x80, 0x86, 0x7E, 0x84, 0x18, 0, 0, 0x79] + [UInt8](repeating: 0, count: 121)
        let response = IssuerResponse(responseCode: Array("00".utf8), scripts: [long])
        let run = try #require(
            try tap("0040", .issuerUpdateProcessing, second: answering([("84", "9000")]), response).second)
        #expect(run.sent.count == 1)
        #expect(run.outcome.discretionaryData[.issuerScriptResults]?.hex == "0000000000")
    }
}
