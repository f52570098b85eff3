import BenchHost
import Bytes
import CardCapture
import CardCryptography
import CardProfiles
import CardReaders
import EMVKernel
import Foundation
import JSONDocument
import KernelDoubles
import PaymentTerminal
import SmartCard
import TLV
import Testing
import VirtualCard

/// Every card of Vectors/cards in a sale at the terminal that docs/card-profile.md describes: the
/// file holds the expected outcome.
@Suite struct CardVectorTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
        .appending(path: "Vectors/cards")

    static let names: [String] = {
        let files = try? FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))
        return (files ?? []).filter { $0.hasSuffix(".json") }.sorted()
    }()

    private func file(_ name: String) throws -> CardProfileFile {
        try CardProfileFile(parsing: String(contentsOf: Self.folder.appending(path: name), encoding: .utf8))
    }

    @Test func thereAreSome() { #expect(Self.names.count >= 45) }

    @Test("Each says in one line what it is for, and what follows", arguments: names) func isWhole(_ name: String)
        throws
    {
        let file = try file(name)
        let reason = try #require(file.reason)
        #expect(!reason.isEmpty)
        #expect(!reason.contains("\n"))
        #expect(file.expectation != nil)
        #expect(try CardProfileFile(parsing: file.json) == file)
        #expect(file.faults.isEmpty != name.hasPrefix("hostile-"))
    }

    /// Bytes put in, taken out and changed: a card or an error that says where, and a card that is
    /// taken can be written and read again.
    @Test("A damaged document is a card or an error with its place", arguments: names) func damagedDocuments(
        _ name: String
    ) throws {
        let text = Array(try String(contentsOf: Self.folder.appending(path: name), encoding: .utf8).utf8)
        var state = UInt64(text.count)
        func random(_ bound: Int) -> Int {
            // Knuth's MMIX generator: the same damage in every run.
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        let signs = Array("\"{}[]:,-0123456789AFx \\".utf8)
        for _ in 0..<20 {
            var damaged = text
            for _ in 0...random(3) {
                let place = random(damaged.count)
                switch random(3) {
                case 0: damaged[place] = signs[random(signs.count)]
                case 1: damaged.insert(signs[random(signs.count)], at: place)
                default: damaged.remove(at: place)
                }
            }
            do throws(DocumentError) {
                let file = try CardProfileFile(parsing: String(decoding: damaged, as: UTF8.self))
                #expect(try CardProfileFile(parsing: file.json) == file)
            } catch {
                #expect(!error.message.isEmpty)
            }
        }
    }

    @Test(arguments: names) func endsAsExpected(_ name: String) async throws {
        let file = try file(name)
        let expectation = try #require(file.expectation)
        let sale = try await SaleOnPaper(file)
        let (outcome, method) = await sale.run(amount: expectation.amount)
        #expect(expectation.verdict == CardExpectation.Verdict(outcome.decision), "\(outcome.decision)")
        if let tvr = expectation.tvr { #expect(outcome.tvr == tvr, "\(outcome.tvr.meanings)") }
        if let results = expectation.cvmResults {
            #expect(outcome.cvmResults == results, "\(outcome.cvmResults.summary)")
        }
        if let expected = expectation.dataAuthentication { #expect(method == expected) }
        if let aid = expectation.aid { #expect(outcome.data.card[.dfName] == aid) }
        if let words = expectation.termination {
            guard case .terminated(let reason) = outcome.decision else { return }
            #expect(reason.description.contains(words), "\(reason)")
        }
        if let reversal = expectation.reversal { #expect(outcome.requiresReversal == reversal) }
    }
}

/// A terminal, a cardholder and an issuer for one card.
private struct SaleOnPaper {
    private let channel: any CardChannel
    private let configuration: TerminalConfiguration
    private let cardholder: FirstChoice
    private let issuer: BenchIssuer

    /// One bench for the cards that do not ask for other key lengths: making its keys takes longer
    /// than everything else.
    private static let personalizer = Result { () throws(PersonalizationError) in try CardPersonalizer() }

    private static let aids: [[UInt8]] = [
        [0xA0, 0, 0, 0, 0x03, 0x10, 0x10], [0xA0, 0, 0, 0, 0x03, 0x20, 0x10], [0xA0, 0, 0, 0, 0x04, 0x10, 0x10],
        [0xA0, 0, 0, 0, 0x04, 0x30, 0x60], [0xA0, 0, 0, 0, 0x25, 0x01], [0xA0, 0, 0, 0x01, 0x52, 0x30, 0x10],
        [0xA0, 0, 0, 0, 0x65, 0x10, 0x10],
        [0xA0, 0, 0, 0x03, 0x33, 0x01, 0x01], [0xA0, 0, 0, 0x02, 0x77, 0x10, 0x10], [0xF0, 0, 0, 0, 0x01, 0x00, 0x01],
    ]

    init(_ file: CardProfileFile) async throws {
        let profile = file.profile
        let bench =
            profile.keySizes == RSAKeySizes() ? try Self.personalizer.get() : try CardPersonalizer(profile.keySizes)
        let card = try bench.personalize(profile)
        channel = ProcedureByteHandling(FaultyCard(VirtualCard(card), file.faults))
        configuration = TerminalConfiguration(
            capabilities: [
                .contactChip, .encipheredOfflinePINByRSA, .encipheredOfflinePINByECC, .encipheredOnlinePIN, .signature,
                .noCVM, .sda, .dda, .cda, .xda,
            ],
            additionalCapabilities: [
                .goods, .services, .numericKeys, .printAttendant, .displayCardholder, .codeTable1,
            ], countryCode: 276,
            applications: Self.aids.map {
                ApplicationConfiguration(aid: $0, versions: [profile.versionNumber], floorLimit: 100_00)
            },
            caKeys: card.caPublicKeys)
        let baseKey = try TDESKey(SecretBytes([UInt8](hex: "0123456789ABCDEFFEDCBA9876543210")))
        let serial = try #require(KeySerialNumber([UInt8](hex: "FFFF9876543210E00000")))
        let pin = try #require(PIN(ascii: "1234".utf8))
        cardholder = FirstChoice(
            pinPad: VirtualPINPad(
                .enters(pin), initialKey: try TDESDUKPT.initialKey(baseDerivationKey: baseKey, serialNumber: serial),
                serialNumber: serial))
        issuer = try BenchIssuer(profile, pinKey: baseKey, pin: pin)
    }

    func run(amount: UInt64) async -> (outcome: Outcome, method: CardExpectation.DataAuthentication?) {
        var method: CardExpectation.DataAuthentication?
        let request = TransactionRequest(
            amount: amount, currencyCode: 978, date: [0x26, 0x11, 0x21], time: [0x12, 0x00, 0x00])
        let outcome = await ContactKernel(configuration).perform(
            request, card: channel, cardholder: cardholder, issuer: issuer, environment: FixedEnvironment()
        ) { event in
            if case .dataAuthentication(let chosen, _) = event {
                method = CardExpectation.DataAuthentication(chosen)
            }
        }
        return (outcome, method)
    }
}

/// The bench's test issuer, which recomputes the ARQC and looks at the PIN, behind the kernel.
private final class BenchIssuer: OnlineAuthorizer {
    private let host: BenchHost
    private let folder: String

    init(_ profile: CardProfile, pinKey: TDESKey, pin: PIN) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "cards-\(UUID().uuidString)").path(
            percentEncoded: false)
        let digits = String(decoding: profile.account.pan.revealed(), as: UTF8.self)
        let issuer = TestIssuer(
            profiles: [
                IssuerProfile(
                    leadingDigits: digits, masterKeys: profile.issuerMasterKeys,
                    cryptogram: profile.cryptograms.version, pin: pin)
            ], pinKey: pinKey)
        host = try BenchHost(folder: folder, vaultKey: SecretBytes([UInt8](repeating: 0x5A, count: 32)), issuer: issuer)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    func authorize(_ request: OnlineRequest) async -> OnlineAnswer {
        let data = request.data
        guard let pan = data.card[.applicationPAN].flatMap({ BCD.digits($0) }),
            let expiry = data.card[.applicationExpirationDate],
            let amount = data.terminal.number(.amountAuthorised)
        else { return .unableToGoOnline }
        let card = CapturedCard(
            entryMode: .chip, pan: SecretBytes(pan), expiry: expiry.prefix(2).hex,
            panSequenceNumber: data.card[.panSequenceNumber]?.first,
            chip: ChipData(elements: data.shareable),
            pin: request.pin.map { EncipheredPINBlock(format: .iso0, block: $0.pinBlock, ksn: $0.ksn) })
        do {
            let response = try await host.authorize(
                AuthorizationRequest(
                    orderID: OrderID("paper"), purpose: .sale,
                    amount: Money(minorUnits: Int64(amount), currency: .euro),
                    timestamp: Timestamp(secondsSince1970: 1_795_262_400), terminalID: "BENCH001", card: .captured(card)
                ))
            return .answered(
                IssuerResponse(
                    responseCode: Array(response.issuer.responseCode.utf8),
                    authenticationData: response.issuer.issuerAuthenticationData))
        } catch {
            Issue.record("\(error)")
            return .unableToGoOnline
        }
    }
}
