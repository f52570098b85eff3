import CardCryptography
import CardInspection
import EMVKernel
import KernelDoubles
import SmartCard
import TLV
import Testing
import VirtualCard

/// Certificates and signatures (EMV 4.4 Book 2, 5, 6 and 12).
@Suite("Findings about certificates and signatures") struct AuthenticationTests {
    private func kinds(_ findings: [CardFinding]) -> [CardFinding.Kind] { findings.map(\.kind) }

    @Test func anUnknownAuthority() async throws {
        for card in [try await ReadCard.visa.value, try await ReadCard.curve.value] {
            let findings = card.findings(caKeys: [])
            #expect(kinds(findings) == [.unknownAuthority] && findings[0].severity == .remark)
        }
    }

    @Test func aDamagedIssuerCertificate() async throws {
        for var card in [try await ReadCard.visa.value, try await ReadCard.curve.value] {
            let certificate = try #require(
                card.image.applications[0].records.flatMap(\.answer.contents).first {
                    $0.tag == .issuerPublicKeyCertificate
                })
            var bytes = certificate.value
            bytes[bytes.count / 2] ^= 1
            card.image.set(.issuerPublicKeyCertificate, bytes)
            #expect(kinds(card.findings()) == [.certificate])
        }
    }

    /// A signed object is changed: the card's certificate and the issuer's signature no longer fit,
    /// the issuer's certificate does.
    @Test("Changed data are found by the signatures that cover them") func changedData() async throws {
        var card = try await ReadCard.visa.value
        card.image.set(.issuerCountryCode, [0x02, 0x76])
        #expect(kinds(card.findings()) == [.signature, .certificate])
        var curve = try await ReadCard.curve.value
        curve.image.set(.issuerCountryCode, [0x02, 0x76])
        #expect(kinds(curve.findings()) == [.certificate])
    }

    @Test func aSignatureOnAnotherChallenge() async throws {
        var card = try await ReadCard.visa.value
        let challenge = try #require(card.image.applications[0].challenge)
        #expect(challenge.sent == [1, 2, 3, 4], "the card's DDOL is 9F3704")
        card.image.applications[0].challenge?.sent[0] ^= 1
        #expect(kinds(card.findings()) == [.signature])
        card.image.applications[0].challenge?.answer = CardImage.Answer([], .conditionsNotSatisfied)
        #expect(kinds(card.findings()) == [.signature])
        card.image.applications[0].challenge?.answer = CardImage.Answer([0x77, 0x00])
        #expect(kinds(card.findings()) == [.signature])
    }

    /// The certificates of the bench end with the card, on 31 December 2049: 30 days before, both
    /// and the application are reported; in the century after, nothing is good any more.
    @Test("certificates that expire soon, and expired ones, are found") func expiry() async throws {
        let card = try await ReadCard.visa.value
        let soon = card.findings(on: [0x49, 0x12, 0x01])
        #expect(kinds(soon) == [.expiresSoon, .certificateExpiresSoon, .certificateExpiresSoon])
        #expect(soon.allSatisfy { $0.severity == .remark && $0.summary.contains("2049-12-31") })
        let early = card.findings(on: [0x49, 0x11, 0x01])
        #expect(kinds(early) == [.expiresSoon, .certificateExpiresSoon, .certificateExpiresSoon])
        #expect(card.findings(on: [0x49, 0x10, 0x01]) == [], "91 days before")
    }

    @Test func certificatesThatEndBeforeTheCard() async throws {
        var profile = CardProfile.visaStyle()
        profile.account.expiry = [0x28, 0x06, 0x30]
        var card = try await ReadCard(profile)
        #expect(card.findings() == [])
        // The card's own date is changed to 2030; it is signed, so the card's certificate fails and
        // the issuer's is left.
        card.image.set(.applicationExpirationDate, [0x30, 0x06, 0x30])
        card.image.set(.track2EquivalentData, nil)
        let findings = card.findings()
        #expect(
            findings.contains {
                $0.kind == .certificateExpiresSoon && $0.severity == .warning
                    && $0.place.tag == .issuerPublicKeyCertificate
            })
    }

    @Test func anExpiredCertificate() async throws {
        var profile = CardProfile.visaStyle()
        profile.account.expiry = [0x28, 0x06, 0x30]
        let card = try await ReadCard(profile)
        #expect(kinds(card.findings(on: [0x28, 0x07, 0x01])) == [.expired, .certificate])
    }

    @Test func anotherTagList() async throws {
        var card = try await ReadCard.visa.value
        card.image.set(.staticDataAuthenticationTagList, [0x82, 0x94])
        #expect(
            card.findings().contains { $0.kind == .certificate && $0.place.tag == .staticDataAuthenticationTagList })
    }

    // MARK: The kernel's verdict

    @Test func theKernelsVerdict() async throws {
        let card = try PersonalizedCard.make(.visaStyle())
        let good = await transact(VirtualCard(card), card.caPublicKeys)
        #expect(good == [])
        // The signed dynamic application data of the cryptogram's answer: its last byte is BC once
        // recovered.
        let damaged = FaultyCard(
            VirtualCard(card), CardFault(.corruption(index: 40, mask: 0x01), at: .every(.generateAC)))
        #expect(kinds(await transact(damaged, card.caPublicKeys)).contains(.signature))
        let refuses = FaultyCard(
            VirtualCard(card), CardFault(.status(.conditionsNotSatisfied), at: .every(.generateAC)))
        let verdict = await transact(refuses, card.caPublicKeys)
        #expect(kinds(verdict) == [.transaction] && verdict[0].summary.contains("GENERATE AC"))
    }

    private func transact(_ card: any CardChannel, _ caKeys: [CAPublicKey]) async -> [CardFinding] {
        let configuration = TerminalConfiguration(
            capabilities: [.contactChip, .noCVM, .cda], additionalCapabilities: [.goods], countryCode: 276,
            applications: [
                ApplicationConfiguration(
                    aid: [0xA0, 0, 0, 0, 0x03, 0x10, 0x10], versions: [0x0096], floorLimit: 100_00)
            ],
            caKeys: caKeys)
        var events: [KernelEvent] = []
        let outcome = await ContactKernel(configuration).perform(
            TransactionRequest(amount: 100, currencyCode: 978, date: today, time: [0, 0, 0]), card: card,
            cardholder: FirstChoice(),
            issuer: FixedIssuer.unreachable,
            environment: FixedEnvironment(number: [9, 8, 7, 6])
        ) { events.append($0) }
        return CardFinding.ofTransaction(events, outcome)
    }
}
