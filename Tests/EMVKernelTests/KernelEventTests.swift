import CardCryptography
import SmartCard
import TLV
import Testing

@testable import EMVKernel

/// What the kernel tells while it works, and how it says it.
@Suite struct KernelEventTests {
    /// Book 3, 8.2 and figure 6: every phase of a transaction that has them all tells of itself, in
    /// the books' order.
    @Test func phasesInTheirOrder() async {
        let events = await LongRun.bench().run(LongRun.card).events
        var phases: [KernelEvent.Phase] = []
        for event in events where phases.last != event.phase { phases.append(event.phase) }
        #expect(
            phases == [
                .applicationSelection, .initiateApplication, .readApplicationData, .dataAuthentication,
                .processingRestrictions, .cardholderVerification, .riskManagement, .actionAnalysis, .cardActionAnalysis,
                .onlineProcessing, .issuerScripts, .cardActionAnalysis, .issuerScripts, .completion,
            ])
        #expect(Set(phases) == Set(KernelEvent.Phase.allCases), "none is missing")
    }

    /// PIN wrong once, then right, and a signature, of which nobody knows (Book 4, A4); TVR
    /// 8000000000 leads online; one script of two commands before the last cryptogram, one of one
    /// command after it.
    @Test("The same transaction in words") func transactionInWords() async {
        let events = await LongRun.bench().run(LongRun.card).events
        #expect(
            events.map(\.summary) == [
                "1 candidate: A0000000031010", "selected A0000000031010", "AIP 1C00, 2 records in 2 files",
                "2 records, 0 bytes to be authenticated", "not performed: card and terminal have no method in common",
                "nothing found", "Plaintext PIN verification performed by ICC and signature, always: result unknown",
                "nothing found", "asks for ARQC (go online): online for: Offline data authentication was not performed",
                "asked for ARQC, card gave ARQC (go online)", "issuer answered 00", "issuer authentication successful",
                "script before final GENERATE AC successful", "asked for TC, card gave TC (approve)",
                "script after final GENERATE AC successful", "approved online",
            ])
    }

    @Test func otherEventsInWords() throws {
        let language = try #require(Language("de"))
        let events: [(KernelEvent, KernelEvent.Phase, String)] = [
            (.candidatesFound([]), .applicationSelection, "no candidate"),
            (.languageSelected(language), .applicationSelection, "language de"),
            (.dataAuthentication(.sda, nil), .dataAuthentication, "SDA successful"),
            (.dataAuthentication(.dda, nil), .dataAuthentication, "DDA successful"),
            (
                .dataAuthentication(.cda, nil), .dataAuthentication,
                "CDA keys recovered, signature comes with the cryptogram"
            ),
            (
                .dataAuthentication(.xda, nil), .dataAuthentication,
                "XDA keys recovered, signature comes with the cryptogram"
            ),
            (
                .dataAuthentication(.sda, .expiredCAKey), .dataAuthentication,
                "SDA failed: the CA public key is past its date"
            ),
            (.combinedSignature(nil), .cardActionAnalysis, "signature right: the card signed its cryptogram"),
            (
                .combinedSignature(.unsignedCryptogram), .cardActionAnalysis,
                "signature failed: the card did not sign its cryptogram"
            ),
            (
                .riskManagement([.newCard, .floorLimitExceeded]), .riskManagement,
                "New card; Transaction exceeds floor limit"
            ),
            (.wentOnline(responseCode: nil), .onlineProcessing, "unable to go online"),
            (.issuerAuthentication(succeeded: false), .onlineProcessing, "issuer authentication failed"),
            (.completed(.declined(.unableToGoOnline)), .completion, "declined offline, unable to go online"),
            (.completed(.approved(.offline)), .completion, "approved offline"),
            (.completed(.terminated(.cardBlocked)), .completion, "terminated: the card is blocked"),
        ]
        for (event, phase, words) in events {
            #expect(event.phase == phase, "\(words)")
            #expect(event.summary == words)
        }
    }

    @Test("An application that refuses is reported as struck off") func struckOff() async {
        var image = CardImage()
        image.pairs = [("80A8", "6985")]
        let events = await KernelBench().run(image).events
        #expect(events.contains { $0.phase == .applicationSelection && $0.summary == "struck off A0000000031010" })
    }

    @Test("Book 3, 10.7: what led to the request") func actionAnalysis() {
        let words: [(ActionAnalysis, String)] = [
            (
                ActionAnalysis(request: .aac, reason: .denial([.expiredApplication])),
                "asks for AAC (decline): denied for: Expired application"
            ),
            (
                ActionAnalysis(request: .aac, reason: .default([.sdaFailed, .newCard])),
                "asks for AAC (decline): declined by default for: SDA failed; New card"
            ),
            (
                ActionAnalysis(request: .arqc, reason: .onlineOnlyTerminal),
                "asks for ARQC (go online): the terminal is online only"
            ),
            (ActionAnalysis(request: .tc, reason: .nothingAgainst), "asks for TC (approve): nothing speaks against it"),
        ]
        for (analysis, expected) in words { #expect(analysis.summary == expected) }
    }

    /// Book 4, annex A5: first digit 0 not performed, 1 failed, 2 successful; second the command
    /// that failed, F for the fifteenth and later.
    @Test(
        "Script results are encoded and described as annex A5 says",
        arguments: [
            (ScriptResult.End.notPerformed, 0, "0001020304", "not performed"),
            (.failed, 3, "1301020304", "failed at command 3"),
            (.failed, 16, "1F01020304", "failed at command 16"), (.successful, 0, "2001020304", "successful"),
        ])
    func scriptResults(_ end: ScriptResult.End, command: Int, hex: String, words: String) {
        for (isBefore, when) in [(true, "before"), (false, "after")] {
            let result = ScriptResult(
                isBeforeFinalCryptogram: isBefore, identifier: [1, 2, 3, 4], end: end, failedCommand: command)
            #expect(result.bytes == bytes(hex))
            #expect(result.summary == "script \(when) final GENERATE AC \(words)")
        }
    }
}

/// Every reason says what happened in words for whoever stands at the terminal, and none says the
/// same as another.
@Suite("Each reason has words of its own") struct ReasonTests {
    @Test("each reason for a termination has its words") func terminations() {
        let reasons: [(Termination, String)] = [
            (.channel(.cardRemoved), "the card was removed"), (.channel(.timedOut), "the card did not answer in time"),
            (.channel(.malformedAnswer(.noStatusWord)), "the card's answer is malformed: no status word"),
            (.channel(.cancelled), "the exchange was cancelled"),
            (.channel(.readerFailed(.recorded("unplugged"))), "the reader failed: unplugged"),
            (.cardBlocked, "the card is blocked"),
            (.emptyCandidateList, "the card has no application that this terminal takes"),
            (.applicationBlocked, "the card's application is blocked"),
            (.applicationRefused, "the card's application does not allow this transaction"),
            (.applicationNotSelectable, "the card does not give the application that it offers"),
            (
                .confirmationNotPossible,
                "the card's application needs the cardholder's confirmation, for which this terminal does not ask"
            ),
            (.cancelledByCardholder, "cancelled by the cardholder"),
            (.commandFailed(.readRecord, 0x6A83), "READ RECORD was answered 6A83 (record not found)"),
            (.malformedAnswer(.generateAC, nil), "the answer to GENERATE AC is malformed"),
            (.missingData(.cdol1), "the card gives no 8C (Card Risk Management Data Object List 1 (CDOL1))"),
            (.missingData(0xDF41), "the card gives no DF41 (unknown)"),
            (.invalidData(.applicationPAN), "the card's 5A (Application Primary Account Number (PAN)) is invalid"),
            (.repeatedData(.cvmList), "the card gives 8E (Cardholder Verification Method (CVM) List) twice"),
            (.tooManyRecords, "the card's file locator lists too many records"),
            (
                .unexpectedCryptogram(requested: .aac, answered: 0x40),
                "the card was asked for AAC and answered with cryptogram information 40"
            ),
            (.serviceNotAllowed, "the card does not allow this service"),
            (
                .configuration(.cashback),
                "the terminal's configuration does not fit: the cashback is more than the amount"
            ),
        ]
        for (reason, words) in reasons { #expect(reason.description == words) }
        let error = TLVError.truncatedLength(offset: 7)
        #expect(
            Termination.malformedAnswer(.readRecord, error).description
                == "the answer to READ RECORD is malformed: \(error)")
    }

    @Test func dataAuthenticationFailures() {
        let reasons: [(DataAuthenticationFailure, String)] = [
            (.unknownCAKey(rid: bytes("A000000003"), index: 0x94), "no CA public key A000000003 94 is configured"),
            (.expiredCAKey, "the CA public key is past its date"),
            (.missingData(.issuerPublicKeyCertificate), "the card gives no 90 (Issuer Public Key Certificate)"),
            (.missingData(0xDF41), "the card gives no DF41 (unknown)"),
            (.unusableRecord, "a record to be authenticated is not in template 70"),
            (.staticDataTagList, "the static data authentication tag list names more than the AIP"),
            (.ddolWithoutUnpredictableNumber, "the DDOL does not ask for the unpredictable number"),
            (.issuerCertificate(.hash), "issuer certificate: the hash differs"),
            (.iccCertificate(.expired), "ICC certificate: it has expired"),
            (.signature(.trailer), "signature: the recovered trailer is not BC"),
            (.unsignedCryptogram, "the card did not sign its cryptogram"),
        ]
        for (reason, words) in reasons { #expect(reason.description == words) }
    }
}
