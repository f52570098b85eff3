import Bytes
import CardCapture
import CardCryptography
import CardReaders
import Contactless
import EMVKernel
import Kernels
import SmartCard
import Synchronization
import TLV
import Testing
import VirtualCard

@Suite struct ContactlessReaderTests {
    @Test func approvedOfflineWithASignature() async throws {
        let run = try await TapBench.visa().run()
        #expect(run.outcome.decision == .approvedOffline)
        #expect(run.asked.isEmpty)
        let card = try #require(run.outcome.card)
        #expect(card.entryMode == .contactlessChip)
        #expect(card.maskedPAN == "476173******0119")
        #expect(card.expiry == "4912")
        #expect(card.chip?.elements[.cryptogramInformationData] == [0x40])
    }

    @Test func aCardOfAnotherAuthorityIsNotApprovedOffline() async throws {
        var bench = try TapBench.visa()
        bench.channel = try bench.stranger()
        #expect(try await bench.run().outcome.decision == .declinedOffline)
    }

    @Test(arguments: [CryptogramScheme.visa10, .visa18, .visa22]) func theIssuerVerifiesTheCryptogram(
        scheme: CryptogramScheme
    ) async throws {
        var bench = try TapBench.visa(cryptograms: scheme)
        bench.request.amount = 30_00
        let run = try await bench.run()
        #expect(run.outcome.decision == .approvedOnline)
        let asked = try #require(run.asked.first)
        let chip = try #require(asked.chip)
        let elements = try DataElements(parsing: chip.field55(for: .authorization))
        let digits = try #require(asked.pan).revealed()
        let pan = try #require(AccountNumber(ascii: digits))
        let keys = try MasterKeySet.testIssuerKeys.cardKeys(
            by: scheme.version.masterKeyDerivation, pan: pan, panSequenceNumber: 1)
        let atc = try #require(elements.integer(.applicationTransactionCounter))
        let number = try #require(elements[.unpredictableNumber])
        let session = try scheme.version.sessionKeyDerivation.sessionKey(
            from: keys.applicationCryptogram, atc: UInt16(clamping: atc), unpredictableNumber: number)
        let profile = try #require(elements[.applicationInterchangeProfile])
        let issuerData = try #require(elements[.issuerApplicationData])
        let input = try scheme.version.input(
            terminalData: DOL.cryptogramInput.concatenate(elements), applicationInterchangeProfile: profile,
            atc: UInt16(clamping: atc),
            issuerApplicationData: issuerData)
        let cryptogram = try #require(elements[.applicationCryptogram])
        #expect(
            ApplicationCryptogram.isValid(cryptogram, for: input, sessionKey: session, padding: scheme.version.padding))
        #expect(
            !ApplicationCryptogram.isValid(
                cryptogram, for: [input[0] ^ 0x01] + input.dropFirst(), sessionKey: session,
                padding: scheme.version.padding))
    }

    @Test func theIssuersWordCounts() async throws {
        var bench = try TapBench.visa()
        bench.request.amount = 30_00
        bench.answer = .answered(.init(responseCode: "05"))
        #expect(try await bench.run().outcome.decision == .declinedOnline)
        bench.answer = .unreachable
        #expect(try await bench.run().outcome.decision == .declinedOffline)
    }

    @Test("a tap that the issuer refers is approved by the code of a call, and declined without") func referral()
        async throws
    {
        var bench = try TapBench.visa()
        bench.request.amount = 30_00
        bench.answer = .answered(.init(responseCode: "02"))
        #expect(try await bench.run().outcome.decision == .declinedOnline)
        bench.request.resolveReferral = { .approved(approvalCode: Array("471100".utf8)) }
        #expect(try await bench.run().outcome.decision == .approvedOnline)
        bench.request.resolveReferral = { .declined }
        #expect(try await bench.run().outcome.decision == .declinedOnline)
    }

    @Test func signatureAboveTheLimit() async throws {
        var bench = try TapBench.visa()
        bench.request.amount = 50_00
        let outcome = try await bench.run().outcome
        #expect(outcome.decision == .approvedOnline)
        #expect(outcome.requiresSignature)
        bench.request.amount = 49_99
        #expect(try await !bench.run().outcome.requiresSignature)
    }

    @Test func onlinePIN() async throws {
        var bench = try TapBench.visa()
        bench.request.amount = 50_00
        bench.pinPad = TapBench.Pad()
        let run = try await bench.run()
        #expect(run.asked.first?.pin?.block == [1, 2, 3, 4, 5, 6, 7, 8])
        #expect(run.outcome.decision == .approvedOnline)
        #expect(!run.outcome.requiresSignature)
        bench.pinPad = TapBench.Pad(entry: .bypassed)
        let bypassed = try await bench.run()
        #expect(bypassed.asked.isEmpty)
        guard case .notPossible = bypassed.outcome.decision else {
            Issue.record("it went on without a PIN")
            return
        }
        bench.pinPad = TapBench.Pad(entry: .cancelled)
        let cancelled = bench
        await #expect(throws: CaptureError.cancelled) { try await cancelled.run() }
    }

    @Test func aPhoneVerifiesItsOwner() async throws {
        var bench = try TapBench.visa {
            $0.verifications = [.consumerDevice]
            $0.device = .verified
            $0.formFactorIndicator = [0x23, 0x88, 0x00, 0x00]
        }
        bench.request.amount = 200_00
        let run = try await bench.run()
        #expect(run.outcome.decision == .approvedOnline)
        #expect(run.outcome.card?.chip?.elements[.cardTransactionQualifiers] == [0x00, 0x80])
    }

    @Test func aLockedPhoneIsPresentedAgain() async throws {
        var bench = try TapBench.visa {
            $0.verifications = [.consumerDevice]
            $0.device = .locked
        }
        bench.request.amount = 200_00
        let run = try await bench.run()
        #expect(run.outcome.decision == .approvedOnline)
        #expect(run.commands.filter { $0.hasPrefix("80A8") }.count == 2)
    }

    @Test func aCardThatCannotVerifyGoesToItsContacts() async throws {
        var bench = try TapBench.visa { $0.verifications = [] }
        bench.request.amount = 60_00
        #expect(try await bench.run().outcome.decision == .notPossible(.contactless(.otherInterface)))
    }

    @Test func anAmountAboveTheLimitIsNotTapped() async throws {
        var bench = try TapBench.visa()
        bench.request.amount = 300_00
        let run = try await bench.run()
        #expect(run.commands.isEmpty)
        #expect(run.outcome.decision == .notPossible(.contactless(.notAllowed)))
    }

    @Test func signedBeforeTheIssuerIsAsked() async throws {
        var bench = try TapBench.visa()
        bench.request.amount = 30_00
        bench.qualifiers = .dataAuthenticationForOnline
        let run = try await bench.run()
        #expect(run.outcome.decision == .approvedOnline)
        #expect(run.outcome.card?.chip?.elements.contains(.signedDynamicApplicationData) == true)
    }

    @Test func theIssuersUpdateComesWithASecondTap() async throws {
        var bench = try TapBench.visa { $0.qualifiers = .issuerUpdateProcessing }
        bench.request.amount = 30_00
        bench.qualifiers = .issuerUpdateProcessing
        bench.answer = .answered(.init(responseCode: "00", issuerAuthenticationData: [1, 2, 3, 4, 5, 6, 7, 8]))
        let run = try await bench.run()
        #expect(run.outcome.decision == .approvedOnline)
        #expect(run.commands.suffix(2) == ["00A40400", "00820000"])
        // The card refused what is no ARPC, which changes nothing of the payment.
        #expect(run.outcome.card?.chip?.elements[.terminalVerificationResults]?.hex == "0000000040")
    }

    @Test func noReaderTakesTwoTransactions() async throws {
        #expect(try TapBench.visa().reader().testOnlyReason != nil)
        #expect(try TapBench.visa().reader().capabilities.contains(.contactlessChip))
    }
}

/// A relay between card and reader that changes what passes (Basin, Sasse, Toro-Pozo: "The EMV
/// Standard: Break, Fix, Verify", 2021).
private actor Relay: RemovableCard {
    private let card: VirtualCard
    private let change: @Sendable (CommandAPDU, ResponseAPDU) -> ResponseAPDU

    init(_ card: VirtualCard, _ change: @escaping @Sendable (CommandAPDU, ResponseAPDU) -> ResponseAPDU) {
        self.card = card
        self.change = change
    }

    func reset() async { await card.reset() }

    func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
        change(command, try await card.transmit(command))
    }
}

@Suite struct RelayAttackTests {
    /// Sets CTQ in the answer to GET PROCESSING OPTIONS.
    private func claiming(_ qualifiers: [UInt8], _ bench: TapBench) -> Relay {
        Relay(bench.card) { command, answer in
            guard command.ins == 0xA8,
                let start = answer.data.indices.first(where: { answer.data[$0...].starts(with: [0x9F, 0x6C, 0x02]) })
            else { return answer }
            var changed = answer
            changed.data.replaceSubrange(start + 3..<start + 5, with: qualifiers)
            return changed
        }
    }

    /// Where the card signs, a claim that the owner was verified is found out.
    @Test func aClaimedVerificationThatTheCardDidNotSign() async throws {
        var bench = try TapBench.visa { $0.approvesOfflineUpTo = 100_00 }
        bench.limits.floorLimit = 100_00
        bench.request.amount = 60_00
        bench.channel = claiming([0x00, 0x80], bench)
        let run = try await bench.run()
        #expect(run.outcome.decision == .declinedOffline)
        #expect(run.asked.isEmpty)
    }

    /// Where it does not sign, only the issuer can find out: it is asked, and nothing is approved
    /// offline.
    @Test func aClaimedVerificationOnline() async throws {
        var bench = try TapBench.visa()
        bench.request.amount = 60_00
        bench.channel = claiming([0x00, 0x80], bench)
        let run = try await bench.run()
        #expect(run.asked.count == 1)
        #expect(run.outcome.decision == .approvedOnline)
    }

    /// An ARQC that is passed off as a TC: its signature has the format of an online one, or there
    /// is none.
    @Test func aCryptogramPassedOffAsApproved() async throws {
        for qualifiers: TerminalTransactionQualifiers in [[], .dataAuthenticationForOnline] {
            var bench = try TapBench.visa { $0.approvesOfflineUpTo = nil }
            bench.qualifiers = qualifiers
            bench.channel = Relay(bench.card) { command, answer in
                guard command.ins == 0xA8,
                    let start = answer.data.indices.first(where: {
                        answer.data[$0...].starts(with: [0x9F, 0x27, 0x01, 0x80])
                    })
                else { return answer }
                var changed = answer
                changed.data[start + 3] = 0x40
                return changed
            }
            #expect(try await bench.run().outcome.decision == .declinedOffline)
        }
    }

    /// Without DDA in the AIP nothing is approved offline.
    @Test func anInterchangeProfileWithoutDDA() async throws {
        var bench = try TapBench.visa()
        bench.channel = Relay(bench.card) { command, answer in
            guard command.ins == 0xA8,
                let start = answer.data.indices.first(where: {
                    answer.data[$0...].starts(with: [0x82, 0x02, 0x20, 0x00])
                })
            else { return answer }
            var changed = answer
            changed.data[start + 2] = 0x00
            return changed
        }
        #expect(try await bench.run().outcome.decision == .declinedOffline)
    }
}
