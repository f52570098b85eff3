import TLV
import Testing

@testable import EMVKernel

/// EMV 4.4 Book 3, 10.7.
@Suite struct ActionAnalysisTests {
    private typealias TVR = TerminalVerificationResults

    private func decide(
        _ tvr: TerminalVerificationResults, terminal: ActionCodes = ActionCodes(), issuer: ActionCodes = ActionCodes(),
        type: TerminalType = .attendedOnlineWithOfflineCapability, canGoOnline: Bool = true
    ) -> ActionAnalysis {
        canGoOnline
            ? ActionAnalysis.first(tvr, terminal: terminal, issuer: issuer, type: type)
            : ActionAnalysis.withoutIssuer(tvr, terminal: terminal, issuer: issuer, type: type)
    }

    /// Every bit of the TVR counts by itself, in each of the six codes.
    @Test func eachBitInEachCode() {
        for bit in 0..<40 {
            let tvr = TerminalVerificationResults(rawValue: 1 << UInt64(bit))
            for isIssuers in [false, true] {
                func decision(_ codes: ActionCodes, canGoOnline: Bool = true) -> CryptogramType {
                    decide(
                        tvr, terminal: isIssuers ? ActionCodes() : codes, issuer: isIssuers ? codes : ActionCodes(),
                        canGoOnline: canGoOnline
                    ).request
                }
                #expect(decision(ActionCodes(denial: tvr)) == .aac)
                #expect(decision(ActionCodes(online: tvr)) == .arqc)
                #expect(
                    decision(ActionCodes(default: tvr)) == .tc,
                    "where there is a way to the issuer the default does not matter")
                #expect(decision(ActionCodes(default: tvr), canGoOnline: false) == .aac)
                #expect(decision(ActionCodes(online: tvr), canGoOnline: false) == .tc)
                let others = TerminalVerificationResults(rawValue: 0xFF_FFFF_FFFF & ~tvr.rawValue)
                #expect(decision(ActionCodes(denial: others, online: others, default: others)) == .tc)
            }
        }
    }

    @Test func denialBeforeOnlineBeforeDefault() {
        let all = ActionCodes(
            denial: .expiredApplication, online: [.expiredApplication, .newCard],
            default: [.expiredApplication, .newCard])
        #expect(
            decide([.expiredApplication, .newCard], issuer: all)
                == ActionAnalysis(request: .aac, reason: .denial(.expiredApplication)))
        #expect(decide(.newCard, issuer: all) == ActionAnalysis(request: .arqc, reason: .online(.newCard)))
        #expect(
            decide(.newCard, issuer: all, canGoOnline: false)
                == ActionAnalysis(request: .aac, reason: .default(.newCard)))
        #expect(decide(.sdaFailed, issuer: all) == ActionAnalysis(request: .tc, reason: .nothingAgainst))
    }

    @Test("Terminal's and issuer's codes count together") func codesAreJoined() {
        let decision = decide(
            [.newCard, .floorLimitExceeded], terminal: ActionCodes(online: .newCard),
            issuer: ActionCodes(online: .floorLimitExceeded))
        #expect(decision.reason == .online([.newCard, .floorLimitExceeded]))
    }

    /// An offline-only terminal goes from denial to default; an online-only one asks the issuer
    /// about everything that is not denied.
    @Test("Offline-only and online-only terminals use the action codes that apply to them") func terminalTypes() {
        let codes = ActionCodes(denial: .expiredApplication, online: .newCard, default: .floorLimitExceeded)
        for type in [0x13, 0x16, 0x23, 0x26, 0x36] as [UInt8] {
            let type = TerminalType(rawValue: type)
            #expect(decide(.newCard, issuer: codes, type: type).request == .tc)
            #expect(decide(.floorLimitExceeded, issuer: codes, type: type).request == .aac)
            #expect(decide(.expiredApplication, issuer: codes, type: type).request == .aac)
        }
        for type in [0x11, 0x14, 0x21, 0x24, 0x34] as [UInt8] {
            let type = TerminalType(rawValue: type)
            #expect(decide([], issuer: codes, type: type).request == .arqc)
            #expect(decide(.expiredApplication, issuer: codes, type: type).request == .aac)
            #expect(decide([], issuer: codes, type: type, canGoOnline: false).request == .aac)
        }
    }

    /// After the issuer could not be reached only the default codes count (10.7; Book 4, 12.2.1).
    @Test func denialCodesAreNotJudgedTwice() {
        let codes = ActionCodes(denial: .defaultTDOLUsed, online: .defaultTDOLUsed)
        #expect(decide(.defaultTDOLUsed, issuer: codes).request == .aac)
        #expect(decide(.defaultTDOLUsed, issuer: codes, canGoOnline: false).request == .tc)
    }

    @Test("Absent issuer codes: denial all zeros, online and default all ones") func absentIssuerCodes() {
        let every = TerminalVerificationResults(rawValue: 0xFF_FFFF_FFFF)
        #expect(
            ActionAnalysis.issuerActionCodes(DataElements()) == ActionCodes(denial: [], online: every, default: every))
        var card = DataElements()
        card[.issuerActionCodeDenial] = bytes("0000100000")
        card[.issuerActionCodeOnline] = bytes("F8F8FFA800")
        card[.issuerActionCodeDefault] = bytes("0000000000")
        #expect(
            ActionAnalysis.issuerActionCodes(card)
                == ActionCodes(
                    denial: .pinPadNotPresentOrNotWorking,
                    online: TerminalVerificationResults(rawValue: 0xF8F8_FFA8_00), default: []))
    }

    @Test(
        "Through the kernel, P1 of GENERATE AC: AAC 00, TC 40, ARQC 80 (table 12). The card's TVR is 8000000000",
        arguments: [
            ("8000000000", "8000000000", "8000000000", "00"), ("7FFFFFFFFF", "0000000000", "FFFFFFFFFF", "40"),
            ("7FFFFFFFFF", "8000000000", "FFFFFFFFFF", "80"), ("0000000000", "7FFFFFFFFF", "8000000000", "40"),
            ("0000000000", nil, "0000000000", "80"), (nil, "0000000000", "0000000000", "40"),
            ("0000000000", "0000000000", nil, "40"),
        ] as [(String?, String?, String?, String)])
    func asksTheCard(_ denial: String?, online: String?, default: String?, control: String) async {
        var image = CardImage()
        image["9F0E"] = denial
        image["9F0F"] = online
        image["9F0D"] = `default`
        image.cryptograms = [cryptogram("00")]
        let (run, sent) = await KernelBench().run(image, sent: "80AE")
        #expect(sent == ["80AE\(control)0008" + spaced("8000000000 3F0000 00")])
        #expect(run.decision == .declined(.offline))
    }

    @Test("Terminal action codes alone decide the same") func terminalActionCodes() async {
        var bench = KernelBench()
        bench.application { $0.actionCodes.denial = .offlineDataAuthenticationNotPerformed }
        var image = CardImage()
        image.cryptograms = [cryptogram("00")]
        let (run, sent) = await bench.run(image, sent: "80AE")
        #expect(sent.first?.hasPrefix("80AE00") == true)
        #expect(run.decision == .declined(.offline))
        #expect(run.outcome.data[.authorisationResponseCode] == Array("Z1".utf8))
    }
}
