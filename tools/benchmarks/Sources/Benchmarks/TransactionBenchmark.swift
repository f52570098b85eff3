import CReference
import CardPresent

/// A full offline contact transaction with DDA, against the bare cost of the same three RSA recoveries in libcrypto.
enum TransactionBenchmark {
    static func run() async throws -> [Comparison] {
        var profile = CardProfile.visaStyle()
        profile.keySizes = RSAKeySizes(certificationAuthority: 1984, issuer: 1408, icc: 1024)
        profile.interchangeProfile.remove(.cdaSupported)
        profile.hasPaymentSystemEnvironment = false
        let card = try PersonalisedCard.make(profile)
        let recorder = Recorder()
        let kernel = ContactKernel(configuration(card))
        let live = await perform(kernel, RecordingChannel(VirtualCard(card)) { recorder.append($0) })
        guard live.decision == .approved(.offline), live.tsi.contains(.offlineDataAuthentication), live.tvr.isEmpty else {
            throw BenchmarkError("the transaction to be measured ended \(live.decision.words), TVR \(live.tvr)")
        }
        let scripted = ScriptedCard(recorder.exchanges)
        let again = await perform(kernel, scripted)
        guard again.decision == live.decision else { throw BenchmarkError("the scripted card ends otherwise") }

        let operations = try recoveries(card, recorder.exchanges, live)
        var comparison = Comparison("offline transaction with DDA / three bare RSA recoveries", limit: 1.5)
        var out = [UInt8](repeating: 0, count: 256)
        var failures = 0
        await comparison.measure(times: 100) {
            let outcome = await perform(kernel, scripted)
            if outcome.decision != .approved(.offline) { failures += 1 }
        } reference: {
            for operation in operations {
                let done = reference_rsa_recover(
                    operation.signature, operation.modulus, operation.modulus.count, operation.exponent, operation.exponent.count, &out)
                if done != 1 { failures += 1 }
            }
        }
        guard failures == 0 else { throw BenchmarkError("\(failures) of the measured transactions failed") }
        return [comparison]
    }

    private struct Operation {
        let signature, modulus, exponent: [UInt8]
    }

    /// The three recoveries that the transaction makes: issuer certificate, ICC certificate, dynamic signature.
    private static func recoveries(_ card: PersonalisedCard, _ exchanges: [APDUTrace.Exchange], _ outcome: Outcome) throws -> [Operation] {
        var records = DataElements()
        for exchange in exchanges where exchange.command.instruction == .readRecord { try records.append(parsing: exchange.response.data) }
        let signature = exchanges.first { $0.command.instruction == .internalAuthenticate }.flatMap { try? DataElements(parsing: $0.response.data) }
        guard let issuerCertificate = records[.issuerPublicKeyCertificate], let iccCertificate = records[.iccPublicKeyCertificate],
            let signed = signature?[.signedDynamicApplicationData]
        else { throw BenchmarkError("the card has no certificates") }
        let chain = CertificateChain(card: outcome.data.card, rid: card.caPublicKey.rid, caKeys: [card.caPublicKey], date: [0x26, 0x11, 0x21])
        let issuer = try chain.issuerKey()
        var staticData = StaticData()
        let locator = outcome.data.card[.applicationFileLocator].flatMap(ApplicationFileLocator.init)
        for entry in locator?.entries ?? [] {
            for record in entry.records.prefix(Int(entry.authenticatedCount)) {
                let header = CommandAPDU.readRecord(record, sfi: entry.sfi).header
                if let exchange = exchanges.first(where: { $0.command.header == header }) {
                    staticData.append(record: exchange.response.data, sfi: entry.sfi)
                }
            }
        }
        let icc = try chain.iccKey(issuer, staticData: staticData.complete(outcome.data.card))
        let ca = card.caPublicKey.key
        return [
            Operation(signature: issuerCertificate, modulus: ca.modulus, exponent: ca.exponent),
            Operation(signature: iccCertificate, modulus: issuer.key.modulus, exponent: issuer.key.exponent),
            Operation(signature: signed, modulus: icc.key.modulus, exponent: icc.key.exponent),
        ]
    }

    private static func configuration(_ card: PersonalisedCard) -> EMVKernel.TerminalConfiguration {
        EMVKernel.TerminalConfiguration(
            capabilities: [.contactChip, .signature, .noCVM, .sda, .dda, .cda], additionalCapabilities: [.goods, .services],
            countryCode: 276,
            applications: [
                ApplicationConfiguration(aid: [0xA0, 0x00, 0x00, 0x00, 0x03, 0x10, 0x10], versions: [0x0096], floorLimit: 10_000)
            ],
            caKeys: [card.caPublicKey], usesPaymentSystemEnvironment: false)
    }

    private static func perform(_ kernel: ContactKernel, _ card: any CardChannel) async -> Outcome {
        await kernel.perform(
            TransactionRequest(amount: 1234, currencyCode: 978, date: [0x26, 0x11, 0x21], time: [0x12, 0x00, 0x00]), card: card,
            cardholder: NoCardholder(), issuer: NoIssuer(), environment: FixedEnvironment())
    }
}

struct BenchmarkError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// Answers each command as the recording did: commands are always the same, since date, amount and unpredictable number are.
private struct ScriptedCard: CardChannel {
    private let answers: [[UInt8]: ResponseAPDU]

    init(_ exchanges: [APDUTrace.Exchange]) {
        answers = Dictionary(exchanges.map { ($0.command.bytes, $0.response) }) { first, _ in first }
    }

    func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
        answers[command.bytes] ?? ResponseAPDU(status: .fileNotFound)
    }
}

private struct NoCardholder: Cardholder {
    var pinPad: (any PINPad)? { nil }
    func chooseApplication(_ candidates: [Candidate]) async -> Int? { 0 }
}

private struct NoIssuer: OnlineAuthorizer {
    func authorize(_ request: OnlineRequest) async -> OnlineAnswer { .unableToGoOnline }
}

private struct FixedEnvironment: EMVEnvironment {
    func unpredictableNumber() -> [UInt8] { [0x12, 0x34, 0x56, 0x78] }
    func randomPercentage() -> Int { 50 }
}
