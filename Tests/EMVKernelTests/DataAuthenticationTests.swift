import CardCryptography
import SmartCard
import TLV
import Testing
import VirtualCard

@testable import EMVKernel

extension KernelBench.Run {
    fileprivate var authenticationFailure: DataAuthenticationFailure? {
        for case .dataAuthentication(_, let failure) in events { return failure }
        return nil
    }
}

/// EMV 4.4 Book 3, 10.3: which method, and what goes into it.
@Suite struct DataAuthenticationChoiceTests {
    /// CDA before DDA before SDA, of those that both support. AIP byte 1: SDA 40, DDA 20, CDA 01
    /// (annex C1).
    @Test(
        "CDA takes precedence over DDA, and DDA over SDA",
        arguments: [
            ("6100", [.sda, .dda, .cda], .cda), ("6100", [.sda, .dda], .dda), ("6100", [.sda], .sda), ("6100", [], nil),
            ("4000", [.dda, .cda], nil),
            ("6000", [.sda, .dda, .cda], .dda), ("0100", [.sda, .dda, .cda], .cda), ("0000", [.sda, .dda, .cda], nil),
        ] as [(String, TerminalCapabilities, DataAuthenticationMethod?)])
    func choice(_ aip: String, _ capabilities: TerminalCapabilities, _ expected: DataAuthenticationMethod?) throws {
        let profile = try #require(ApplicationInterchangeProfile(bytes(aip)))
        #expect(DataAuthenticationMethod.choose(profile, capabilities) == expected)
    }

    @Test("TVR byte 1: not performed 80, and the TSI says so too") func nothingInCommon() async {
        let run = await KernelBench().run(CardImage())
        #expect(run.tvr == "8000000000")
        #expect(!run.outcome.tsi.contains(.offlineDataAuthentication))
    }

    @Test("Files 1 to 10 without tag and length of template 70, the others whole; then the AIP if tag 9F4A asks for it")
    func staticData()
        throws
    {
        var data = StaticData()
        data.append(record: bytes("70035F3400"), sfi: 10)
        data.append(record: bytes("70025A00"), sfi: 11)
        var card = DataElements()
        card[.applicationInterchangeProfile] = [0x61, 0x00]
        #expect(try data.complete(card) == bytes("5F3400" + "70025A00"))
        card[.staticDataAuthenticationTagList] = [0x82]
        #expect(try data.complete(card) == bytes("5F3400" + "70025A00" + "6100"))
        for list in ["8295", "95", "9F02"] {
            card[.staticDataAuthenticationTagList] = bytes(list)
            #expect(throws: DataAuthenticationFailure.staticDataTagList) { try data.complete(card) }
        }
    }

    @Test(
        "A record to be authenticated that is not a template 70 makes the method fail, not the transaction",
        arguments: [("4000", "4200000000"), ("2000", "0800000000"), ("0100", "0400000000")])
    func recordWithoutTemplate(_ aip: String, _ tvr: String) async throws {
        let card = try RealCard.make([.sdaSupported, .ddaSupported, .cdaSupported])
        let bench = KernelBench(card)
        // An authenticated record of file 11 besides the card's own.
        let tap = Tap(VirtualCard(card)) { command, response in
            response.edit(.applicationInterchangeProfile) { _ in bytes(aip) }
            response.edit(.applicationFileLocator) { $0 + bytes("58010101") }
            if command.ins == 0xB2, command.p2 == 0x5C { response = ResponseAPDU(bytes("010203"), status: .success) }
        }
        let run = await bench.run(tap)
        #expect(run.authenticationFailure == .unusableRecord)
        #expect(run.tvr == tvr)
        #expect(run.outcome.tsi.contains(.offlineDataAuthentication))
    }
}

/// EMV 4.4 Book 2, 5 and 6: what each failure does to TVR byte 1: SDA failed 40, data missing 20,
/// DDA failed 08, CDA failed 04, SDA selected 02.
@Suite struct DataAuthenticationFailureTests {
    private static let methods: [(aip: ApplicationInterchangeProfile, failed: String, missing: String)] = [
        (.sdaSupported, "4200000000", "6200000000"), (.ddaSupported, "0800000000", "2800000000"),
        (.cdaSupported, "0400000000", "2400000000"),
    ]

    /// The real card with the data objects of `tag` changed or, with nil, left out wherever they
    /// come.
    private func run(
        _ methods: ApplicationInterchangeProfile, editing tag: Tag? = nil,
        _ change: @escaping @Sendable ([UInt8]) -> [UInt8]? = { _ in nil },
        profile: (inout CardProfile) -> Void = { _ in }, bench: (inout KernelBench) -> Void = { _ in }
    ) async throws -> (run: KernelBench.Run, commands: [CommandAPDU]) {
        let card = try RealCard.make(methods, profile)
        var terminal = KernelBench(card)
        bench(&terminal)
        let tap = Tap(VirtualCard(card)) { _, response in if let tag { response.edit(tag, change) } }
        let run = await terminal.run(tap)
        return (run, await tap.commands)
    }

    /// All is right: "SDA selected" is all that shows, and the code or number that was signed is
    /// kept.
    @Test("successful data authentication leaves no failure bit", arguments: [ResponseFormat.format1, .format2])
    func success(_ format: ResponseFormat) async throws {
        let sda = try await run(.sdaSupported, profile: { $0.responseFormat = format }).run
        #expect(sda.tvr == "0200000000")
        #expect(sda.outcome.data[.dataAuthenticationCode] == [0xDA, 0xC0])
        let dda = try await run(.ddaSupported, profile: { $0.responseFormat = format })
        #expect(dda.run.tvr == "0000000000")
        #expect(dda.run.outcome.data[.iccDynamicNumber]?.count == 8)
        #expect(
            dda.commands.filter { $0.ins == 0x88 }.map(\.data) == [bytes("DEADBEEF")], "the DDOL asks for 9F37 alone")
        let cda = try await run(.cdaSupported, profile: { $0.responseFormat = format })
        #expect(cda.run.tvr == "0000000000")
        #expect(cda.commands.filter { $0.ins == 0xAE }.map(\.p1) == [0x50], "TC with CDA (Book 3, table 12)")
        #expect(cda.run.events.contains(.combinedSignature(nil)))
        for run in [sda, dda.run, cda.run] {
            #expect(run.decision == .approved(.offline))
            #expect(run.tsi == "A800", "offline data authentication 80, card risk management 20 (Book 3, annex C6)")
        }
    }

    @Test(
        "Book 3, 7.5, table 35: what a method needs and the card lacks",
        arguments: [
            Tag.caPublicKeyIndexCard, .issuerPublicKeyCertificate, .issuerPublicKeyExponent,
            .signedStaticApplicationData,
            .iccPublicKeyCertificate,
            .iccPublicKeyExponent,
        ])
    func missingData(_ tag: Tag) async throws {
        for method in Self.methods {
            let isSDA = method.aip == .sdaSupported
            let isNeeded =
                switch tag {
                case .signedStaticApplicationData: isSDA
                case .iccPublicKeyCertificate, .iccPublicKeyExponent: !isSDA
                default: true
                }
            let (run, _) = try await run(method.aip, editing: tag)
            #expect(
                run.tvr == (isNeeded ? method.missing : isSDA ? "0200000000" : "0000000000"),
                "\(method.aip) without \(tag)")
            #expect(run.authenticationFailure == (isNeeded ? .missingData(tag) : nil))
        }
    }

    @Test func unknownCAKey() async throws {
        for method in Self.methods {
            let (run, _) = try await run(method.aip, bench: { $0.configuration.caKeys = [] })
            #expect(run.tvr == method.failed)
            #expect(run.authenticationFailure == .unknownCAKey(rid: bytes("A000000003"), index: 0xE0))
            // The same index of another payment system is another key.
            let other = try await self.run(
                method.aip,
                bench: { bench in
                    bench.configuration.caKeys = bench.configuration.caKeys.map {
                        CAPublicKey(rid: bytes("A000000004"), index: $0.index, key: $0.key)
                    }
                }
            ).run
            #expect(other.tvr == method.failed)
        }
    }

    @Test func expiredCAKey() async throws {
        for method in Self.methods {
            for (expiry, tvr) in [
                ((2026, 3, 8), method.failed),
                ((2026, 3, 9), method.aip == .sdaSupported ? "0200000000" : "0000000000"),
            ] {
                let date = try #require(CertificateDate(year: expiry.0, month: expiry.1, day: expiry.2))
                let (run, _) = try await run(
                    method.aip,
                    bench: { bench in
                        bench.configuration.caKeys = bench.configuration.caKeys.map {
                            CAPublicKey(rid: $0.rid, index: $0.index, key: $0.key, expiry: date)
                        }
                    })
                #expect(run.tvr == tvr)
            }
        }
    }

    @Test("5.3 and 6.3, step 10. The bench's issuer certificates have serial number 000001") func revokedCertificate()
        async throws
    {
        let mine = CertificateRevocation(rid: bytes("A000000003"), caKeyIndex: 0xE0, serialNumber: [0, 0, 1])
        let others = [
            CertificateRevocation(rid: bytes("A000000004"), caKeyIndex: 0xE0, serialNumber: [0, 0, 1]),
            CertificateRevocation(rid: bytes("A000000003"), caKeyIndex: 0xE1, serialNumber: [0, 0, 1]),
            CertificateRevocation(rid: bytes("A000000003"), caKeyIndex: 0xE0, serialNumber: [0, 0, 2]),
        ]
        for method in Self.methods {
            let (run, _) = try await run(method.aip, bench: { $0.configuration.revokedCertificates = [mine] })
            #expect(run.tvr == method.failed)
            #expect(run.authenticationFailure == .issuerCertificate(.revoked))
            let (good, _) = try await self.run(
                method.aip, bench: { $0.configuration.revokedCertificates = Set(others) })
            #expect(good.authenticationFailure == nil)
        }
    }

    /// The card's certificates end 12/49, and so does the application.
    @Test("5.3 and 6.3, step 9: good to the last day of the month") func expiredCertificate() async throws {
        for method in Self.methods {
            for (expiry, failure) in [
                ("260228", DataAuthenticationFailure?.some(.issuerCertificate(.expired))), ("260331", nil),
            ] {
                let (run, _) = try await run(method.aip, profile: { $0.account.expiry = bytes(expiry) })
                #expect(run.authenticationFailure == failure)
                #expect(run.outcome.tvr.contains(.expiredApplication) == (failure != nil))
            }
        }
    }

    @Test("One bit of a certificate or of signed data, and the method fails") func forgery() async throws {
        @Sendable func flip(_ value: [UInt8]) -> [UInt8] { value.dropLast() + [value[value.count - 1] ^ 0x01] }
        for method in Self.methods {
            for tag in [Tag.issuerPublicKeyCertificate, .issuerPublicKeyRemainder] {
                #expect(try await run(method.aip, editing: tag, flip).run.tvr == method.failed)
            }
            // The PAN is signed by the card's records and named by both certificates.
            let (run, _) = try await run(method.aip, editing: .panSequenceNumber) { _ in [0x09] }
            #expect(run.tvr == method.failed)
            #expect(
                run.authenticationFailure == (method.aip == .sdaSupported ? .signature(.hash) : .iccCertificate(.hash)))
        }
        #expect(try await run(.sdaSupported, editing: .signedStaticApplicationData, flip).run.tvr == "4200000000")
        for aip in [ApplicationInterchangeProfile.ddaSupported, .cdaSupported] {
            let tvr = aip == .ddaSupported ? "0800000000" : "0400000000"
            #expect(try await run(aip, editing: .iccPublicKeyCertificate, flip).run.tvr == tvr)
            #expect(try await run(aip, editing: .signedDynamicApplicationData, flip).run.tvr == tvr)
        }
    }

    /// 5.3 and 6.3, step 8; 6.4, step 8: certificates of another card.
    @Test func foreignPAN() async throws {
        for method in Self.methods {
            let (issuer, _) = try await run(method.aip, editing: .applicationPAN) { _ in bytes("5413330089600119") }
            #expect(issuer.authenticationFailure == .issuerCertificate(.issuerIdentifier))
            #expect(issuer.tvr == method.failed)
        }
    }

    /// Book 3, 10.3: tag 9F4A may name the AIP and nothing else.
    @Test func tagListWithMore() async throws {
        for method in Self.methods {
            let (run, _) = try await run(method.aip, editing: .staticDataAuthenticationTagList) { _ in bytes("825F34") }
            #expect(run.authenticationFailure == .staticDataTagList)
            #expect(run.tvr == method.failed)
        }
    }

    /// CDA that failed before GENERATE AC is not asked for any more (Book 4, 6.3.2).
    @Test func combinedSignatureIsNotAskedForInVain() async throws {
        let (run, commands) = try await run(.cdaSupported, bench: { $0.configuration.caKeys = [] })
        #expect(commands.filter { $0.ins == 0xAE }.map(\.p1) == [0x40])
        #expect(run.decision == .approved(.offline), "no action code speaks against it")
    }
}

/// EMV 4.4 Book 2, 6.5.
@Suite struct DynamicDataAuthenticationTests {
    private func run(
        _ ddol: String?, defaultDDOL: String = "9F3704", answer: (@Sendable (inout ResponseAPDU) -> Void)? = nil
    ) async throws
        -> (tvr: String, sent: [[UInt8]])
    {
        let list = try ddol.map { try DOL(parsing: bytes($0)) }
        let card = try RealCard.make(.ddaSupported) { $0.ddol = list }
        var bench = KernelBench(card)
        bench.application { $0.defaultDDOL = bytes(defaultDDOL) }
        let tap = Tap(VirtualCard(card)) { command, response in if command.ins == 0x88 { answer?(&response) } }
        let run = await bench.run(tap)
        return (run.tvr, await tap.commands.filter { $0.ins == 0x88 }.map(\.data))
    }

    @Test func dataObjectList() async throws {
        let own = try await run("9F37049F02069A03")
        #expect(own.sent == [bytes("DEADBEEF" + "000000001000" + "260309")])
        #expect(own.tvr == "0000000000")
        let standard = try await run(nil, defaultDDOL: "9A039F3704")
        #expect(standard.sent == [bytes("260309DEADBEEF")])
        #expect(standard.tvr == "0000000000")
    }

    @Test(
        "6.5.1: neither list may lack the unpredictable number; then the card is not even asked",
        arguments: [("9F0206", "9F3704"), (nil, "9A03"), (nil, "")] as [(String?, String)])
    func withoutUnpredictableNumber(_ ddol: String?, _ defaultDDOL: String) async throws {
        let result = try await run(ddol, defaultDDOL: defaultDDOL)
        #expect(result.sent.isEmpty)
        #expect(result.tvr == "0800000000")
    }

    @Test(
        "A signature of a wrong length, none at all among them, fails (6.5.2 step 1)",
        arguments: ["80009000", "77039F4B009000", "8001FF9000"])
    func answersWithoutSignature(_ answer: String) async throws {
        let result = try await run("9F3704") { $0 = ResponseAPDU(bytes: bytes(answer)) ?? $0 }
        #expect(result.sent.count == 1)
        #expect(result.tvr == "0800000000")
    }

    /// A status other than 9000, an answer that is not a template and one without its mandatory
    /// object end the transaction (Book 3, 6.3.5, 7.5 and 6.5.9.4).
    @Test(
        arguments: [
            ("6985", Termination.commandFailed(.internalAuthenticate, 0x6985)),
            ("6700", .commandFailed(.internalAuthenticate, 0x6700)),
            ("9000", .malformedAnswer(.internalAuthenticate, nil)),
            ("0102039000", .malformedAnswer(.internalAuthenticate, nil)),
            ("77009000", .missingData(.signedDynamicApplicationData)),
        ] as [(String, Termination)])
    func answersThatAreNone(_ answer: String, _ termination: Termination) async throws {
        let card = try RealCard.make(.ddaSupported)
        let run = await KernelBench(card).run(
            Tap(VirtualCard(card)) { command, response in
                if command.ins == 0x88 { response = ResponseAPDU(bytes: bytes(answer)) ?? response }
            })
        #expect(run.decision == .terminated(termination))
        #expect(run.outcome.allowsFallback)
    }

    @Test(
        "The same answer to another unpredictable number is a recording: what the card signed once does not fit again")
    func replayedSignature() async throws {
        let card = try RealCard.make(.ddaSupported)
        let recorder = Tap(VirtualCard(card))
        _ = try await recorder.transmit(.select(bytes(CardImage.aid)))
        _ = try await recorder.transmit(.getProcessingOptions([0x83, 0x00]))
        let recorded = try await recorder.transmit(.internalAuthenticate(bytes("00000000")))
        let again = try await recorder.transmit(.internalAuthenticate(bytes("DEADBEEF")))
        #expect(recorded.status == .success)
        let bench = KernelBench(card)
        let forged = await bench.run(Tap(VirtualCard(card)) { if $0.ins == 0x88 { $1 = recorded } })
        #expect(forged.tvr == "0800000000")
        let genuine = await bench.run(Tap(VirtualCard(card)) { if $0.ins == 0x88 { $1 = again } })
        #expect(genuine.tvr == "0000000000")
    }
}
