import Bytes
import CardCryptography
import EMVKernel
import SmartCard
import TLV
import Testing
import VirtualCard

/// XDA (EMV 4.4 Book 2, 12; Book 3, 10.3; Book 4, 6.3.2.2). TVR byte 1, 01: XDA selected; byte 4,
/// 01: signature failed; byte 5, 04: CA ECC key missing, 02: ECC key recovery failed. P1 of
/// GENERATE AC: AAC 00, TC 40, ARQC 80, XDA 08.
@Suite struct ExtendedDataAuthenticationTests {
    private static let personalizer = Result { () throws(PersonalizationError) in try CardPersonalizer() }

    private struct Run {
        let run: KernelBench.Run
        /// P1 and data of each GENERATE AC.
        let generated: [CommandAPDU]
        let asked: Int

        var controls: [UInt8] { generated.map(\.p1) }
        var tvr: String { run.tvr }
        /// The TVR as the card got it with command `number`, from 0; both lists of the card have it
        /// behind amounts and country.
        func sentTVR(_ number: Int) -> String {
            Array(generated[number].data[(number == 0 ? 14 : 16)...].prefix(5)).hex
        }
    }

    private enum Step { case issuerCertificate, firstAnswer, secondAnswer }

    /// A card with XDA and neither cardholder verification nor limits.
    private func run(
        _ suite: SignatureSuite = .p256, issuer: TestIssuer = TestIssuer("00"), online: Bool = false,
        fault: (@Sendable (inout ResponseAPDU) -> Void)? = nil, in step: Step = .firstAnswer,
        card change: (inout CardProfile) -> Void = { _ in }, bench setUp: (inout KernelBench) -> Void = { _ in }
    ) async throws -> Run {
        var profile = CardProfile.ellipticCurveStyle(suite)
        profile.interchangeProfile = .xdaSupported
        profile.actionCodes = IssuerActionCodes(denial: [], online: online ? .xdaSelected : [], default: [])
        change(&profile)
        let card = try Self.personalizer.get().personalize(profile)
        var bench = KernelBench()
        bench.configuration.applications[0].aid = profile.applications[0].aid
        bench.configuration.applications[0].versions = [profile.versionNumber]
        bench.configuration.caKeys = card.caPublicKeys
        bench.configuration.capabilities.formUnion([.sda, .dda, .cda, .xda])
        bench.issuer = issuer
        setUp(&bench)
        let counter = Counter()
        let tap = Tap(VirtualCard(card)) { command, response in
            switch step {
            case .issuerCertificate where command.ins == 0xB2: fault?(&response)
            case .firstAnswer where command.ins == 0xAE && counter.next() == 1: fault?(&response)
            case .secondAnswer where command.ins == 0xAE && counter.next() == 2: fault?(&response)
            default: break
            }
        }
        let run = await bench.run(tap)
        return Run(
            run: run, generated: await tap.commands.filter { $0.ins == 0xAE }, asked: await bench.issuer.requests.count)
    }

    @Sendable private static func breakSignature(_ response: inout ResponseAPDU) {
        response.edit(.signedDynamicApplicationData) { $0.dropLast() + [$0[$0.count - 1] ^ 1] }
    }

    @Sendable private static func breakIssuerCertificate(_ response: inout ResponseAPDU) {
        response.edit(.issuerPublicKeyCertificate) { $0.dropLast() + [$0[$0.count - 1] ^ 1] }
    }

    // MARK: As it should be

    @Test("XDA approves offline with a signed cryptogram", arguments: [SignatureSuite.p256, .p521]) func signedOffline(
        _ suite: SignatureSuite
    ) async throws {
        let run = try await run(suite)
        #expect(run.run.decision == .approved(.offline))
        #expect(run.controls == [0x48])
        #expect(run.tvr == "0100000000")
        #expect(run.run.tsi == "A800")
        #expect(run.run.events.contains(.combinedSignature(nil)))
        #expect(run.run.outcome.data.card[.applicationCryptogram]?.count == 8)
    }

    @Test(
        "Both answers are signed; the PDOL is in the first signature and in the certified data",
        arguments: [nil, DOL(entries: [DOL.Entry(.terminalCapabilities, 3), DOL.Entry(.unpredictableNumber, 4)])])
    func signedTwice(_ pdol: DOL?) async throws {
        let run = try await run(online: true, card: { $0.pdol = pdol })
        #expect(run.run.decision == .approved(.online))
        #expect(run.controls == [0x88, 0x48])
        #expect(run.tvr == "0100000000")
        #expect(run.run.events.filter { $0 == .combinedSignature(nil) }.count == 2)
        #expect(run.asked == 1)
    }

    @Test("12.5.1: the signature is asked for with an AAC too, and not looked at") func declined() async throws {
        let run = try await run(
            fault: Self.breakSignature, card: { $0.actionCodes.denial = .xdaSelected })
        #expect(run.run.decision == .declined(.offline))
        #expect(run.controls == [0x08])
        #expect(run.tvr == "0100000000")
    }

    @Test("Book 3, 10.3: XDA comes before CDA where both sides can do it, and not where one cannot") func choice()
        async throws
    {
        let without = try await run(bench: { $0.configuration.capabilities.remove(.xda) })
        #expect(without.tvr == "8000000000")
        #expect(without.controls == [0x40])
        let perApplication = try await run(bench: {
            $0.configuration.capabilities.remove(.xda)
            $0.configuration.applications[0].capabilities = $0.configuration.capabilities.union(.xda)
        })
        #expect(perApplication.tvr == "0100000000")
    }

    // MARK: The authority's key is missing (6.3.2.2.1)

    @Test(
        "The bit is there for the first action analysis and in the first command; the transaction goes online, with a TC too"
    )
    func authorityMissing() async throws {
        for setUp in [
            { $0.configuration.caKeys = [] },
            {
                $0.configuration.caKeys = $0.configuration.caKeys.map {
                    CAPublicKey(
                        rid: $0.rid, index: $0.index, key: $0.key,
                        expiry: CertificateDate(year: 2020, month: 12, day: 31))
                }
            },
        ] as [(inout KernelBench) -> Void] {
            let run = try await run(bench: setUp)
            #expect(run.sentTVR(0) == "0100000004")
            #expect(run.tvr == "0100000004")
            #expect(run.controls == [0x48])
            #expect(run.asked == 1, "a TC without authentication is the issuer's to judge")
            #expect(run.run.decision == .approved(.online))
        }
    }

    @Test func authorityMissingCountsInTheAnalysis() async throws {
        let run = try await run(
            card: { $0.actionCodes.denial = .caECCKeyMissing }, bench: { $0.configuration.caKeys = [] })
        #expect(run.controls == [0x08])
        #expect(run.run.decision == .declined(.offline))
    }

    // MARK: Key recovery fails (6.3.2.2.2)

    @Test("The bit comes after the first command, so neither its analysis nor the card sees it") func recoveryFails()
        async throws
    {
        let run = try await run(
            online: true, fault: Self.breakIssuerCertificate, in: .issuerCertificate,
            card: { $0.actionCodes.default = .eccKeyRecoveryFailed })
        #expect(run.sentTVR(0) == "0100000000")
        #expect(run.sentTVR(1) == "0100000002")
        #expect(run.tvr == "0100000002")
        #expect(run.controls == [0x88, 0x48])
        #expect(run.run.decision == .approved(.online))
        #expect(run.run.tsi == "B800" || run.run.tsi == "A800")
    }

    @Test(
        "Missing certificates or key index fail XDA",
        arguments: [Tag.issuerPublicKeyCertificate, .iccPublicKeyCertificate, .caPublicKeyIndexCard])
    func missingData(_ tag: Tag) async throws {
        let run = try await run(fault: { $0.edit(tag) { _ in nil } }, in: .issuerCertificate)
        #expect(run.tvr == (tag == .caPublicKeyIndexCard ? "2100000004" : "2100000002"))
    }

    // MARK: The signature is wrong (6.3.2.2.3 and 6.3.2.2.4)

    @Test("Forged in any of its parts, or missing") func signatureFails() async throws {
        let faults: [@Sendable (inout ResponseAPDU) -> Void] = [
            Self.breakSignature, { $0.edit(.applicationCryptogram) { [$0[0] ^ 1] + $0.dropFirst() } },
            { $0.edit(.applicationTransactionCounter) { [$0[0], $0[1] ^ 1] } },
            { $0.edit(.signedDynamicApplicationData) { _ in nil } },
            { $0.edit(.signedDynamicApplicationData) { [0x05] + $0.dropFirst() } },
            { $0.edit(.signedDynamicApplicationData) { _ in [] } },
        ]
        for fault in faults {
            let run = try await run(online: true, fault: fault)
            #expect(run.sentTVR(0) == "0100000000")
            #expect(run.tvr == "0100000100")
            #expect(run.asked == 1)
            #expect(run.controls == [0x88, 0x48])
            #expect(run.run.decision == .approved(.online), "the issuer approved knowing of it")
        }
    }

    /// A TC whose signature is wrong: the denial codes first, then the issuer, and no second
    /// command in any case.
    @Test func wrongSignatureOnTC() async throws {
        let denied = try await run(fault: Self.breakSignature, card: { $0.actionCodes.denial = .xdaSignatureFailed })
        #expect(denied.run.decision == .declined(.offline))
        #expect(denied.controls == [0x48])
        #expect(denied.asked == 0)

        let approved = try await run(fault: Self.breakSignature)
        #expect(approved.run.decision == .approved(.online))
        #expect(approved.controls == [0x48])
        #expect(approved.asked == 1)
        #expect(approved.run.outcome.data[.authorisationResponseCode] == Array("00".utf8))

        let declined = try await run(issuer: TestIssuer("05"), fault: Self.breakSignature)
        #expect(declined.run.decision == .declined(.online))
        #expect(declined.controls == [0x48])

        let unreachable = try await run(issuer: TestIssuer(.unableToGoOnline), fault: Self.breakSignature)
        #expect(unreachable.run.decision == .declined(.unableToGoOnline))
        #expect(unreachable.controls == [0x48])
    }

    /// An ARQC whose signature is wrong: declined with an AAC where the denial codes want it or
    /// nobody can be asked.
    @Test func wrongSignatureOnARQC() async throws {
        let denied = try await run(
            online: true, fault: Self.breakSignature, card: { $0.actionCodes.denial = .xdaSignatureFailed })
        #expect(denied.run.decision == .declined(.offline))
        #expect(denied.controls == [0x88, 0x08])
        #expect(denied.sentTVR(1) == "0100000100")
        #expect(denied.asked == 0)

        let unreachable = try await run(issuer: TestIssuer(.unableToGoOnline), online: true, fault: Self.breakSignature)
        #expect(unreachable.run.decision == .declined(.unableToGoOnline))
        #expect(unreachable.controls == [0x88, 0x08])

        let offline = try await run(
            fault: Self.breakSignature, card: { $0.riskRule.goesOnlineAbove = 0 },
            bench: { $0.configuration.type = .attendedOfflineOnly })
        #expect(offline.run.decision == .declined(.unableToGoOnline))
        #expect(offline.controls == [0x48, 0x08])
        #expect(offline.asked == 0)
    }

    /// The second signature declines if it is wrong, to be reversed; but it is not looked at where
    /// the first was wrong.
    @Test func wrongSignatureAtTheEnd() async throws {
        let second = try await run(online: true, fault: Self.breakSignature, in: .secondAnswer)
        #expect(second.run.decision == .declined(.online))
        #expect(second.run.outcome.requiresReversal)
        #expect(second.tvr == "0100000100")
    }

    @Test("Table 39: the cryptogram stands beside the signature; without it the answer is none")
    func cryptogramMissing() async throws {
        let run = try await run(fault: { $0.edit(.applicationCryptogram) { _ in nil } })
        #expect(run.run.decision == .terminated(.missingData(.applicationCryptogram)))
    }

    /// An RSA key under the card's index is not a key for XDA.
    @Test func authorityOfTheOtherFamily() async throws {
        let rsa = try RSAPrivateKey.generate(modulusBits: 768, exponent: 3).publicKey
        let run = try await run(bench: {
            $0.configuration.caKeys = $0.configuration.caKeys.map {
                CAPublicKey(rid: $0.rid, index: $0.index, key: rsa)
            }
        })
        #expect(run.tvr == "0100000004")
    }

    @Test("A revoked issuer certificate fails XDA") func revokedCertificate() async throws {
        let run = try await run(bench: { bench in
            bench.configuration.revokedCertificates = [
                CertificateRevocation(
                    rid: bench.configuration.caKeys[0].rid, caKeyIndex: 0xE0, serialNumber: [0, 0, 1])
            ]
        })
        #expect(run.tvr == "0100000002")
    }

    // MARK: PIN (Book 2, 13)

    /// Enciphered PIN, P2 8A, once wrong and once right under the keys agreed on at the first try.
    @Test(arguments: [SignatureSuite.p256, .p521]) func encipheredPIN(_ suite: SignatureSuite) async throws {
        for (pin, results) in [("1234", "040002"), ("9999", "040001")] {
            let run = try await run(
                suite,
                card: {
                    $0.interchangeProfile.insert(.cardholderVerificationSupported)
                    $0.cvmList = CVMList(rules: [
                        CVMRule(code: .encipheredPIN, continuesIfUnsuccessful: false, condition: .always)
                    ])
                    $0.pin = PIN(ascii: pin.utf8)
                    $0.actionCodes = IssuerActionCodes(denial: [], online: [], default: [])
                },
                bench: {
                    $0.configuration.capabilities.insert(.encipheredOfflinePINByECC)
                    $0.cardholder.pinPad = TestPINPad(.enters)
                })
            #expect(run.run.outcome.cvmResults.bytes.hex == results)
            #expect(run.run.outcome.tvr.contains(.pinTryLimitExceeded) == (pin == "9999"))
        }
    }

    /// A terminal that cannot encipher by ECC fails the method, even if it can do so by RSA.
    @Test func encipheredPINWithoutECC() async throws {
        let run = try await run(
            card: {
                $0.interchangeProfile.insert(.cardholderVerificationSupported)
                $0.cvmList = CVMList(rules: [
                    CVMRule(code: .encipheredPIN, continuesIfUnsuccessful: false, condition: .always)
                ])
            }, bench: { $0.cardholder.pinPad = TestPINPad(.enters) })
        #expect(run.run.outcome.cvmResults.bytes.hex == "040001")
    }
}
