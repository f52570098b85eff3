import Bytes
import CardCryptography
import CardReaders
import EMVKernel
import SmartCard
import TLV
import VirtualCard

/// A transaction from the first command to the last, with CDA, a PIN enciphered by RSA, an issuer
/// that answers and its scripts, against the bare cost of its five RSA operations in libcrypto.
/// Measured is the terminal's side: the card's answers and the issuer's are prepared.
enum OnlineTransactionBenchmark {
    static func run() async throws -> [Comparison] {
        var profile = CardProfile.visaStyle()
        profile.keySizes = RSAKeySizes(certificationAuthority: 1984, issuer: 1408, icc: 1024)
        profile.hasPaymentSystemEnvironment = false
        let card = try PersonalizedCard.make(profile)
        let recorder = Recorder()
        let kernel = ContactKernel(configuration(card))
        guard let pin = PIN(ascii: "1234".utf8),
            let serialNumber = KeySerialNumber([0xFF, 0xFF, 0x98, 0x76, 0x54, 0x32, 0x10, 0xE0, 0, 0])
        else { throw BenchmarkError("no PIN") }
        let pad = VirtualPINPad(
            .enters(pin),
            initialKey: try TDESKey(
                SecretBytes([UInt8](repeating: 0x31, count: 8) + [UInt8](repeating: 0x32, count: 8))),
            serialNumber: serialNumber)
        let live = await perform(
            kernel, RecordingChannel(ObedientCard(card: VirtualCard(card))) { recorder.append($0) }, pad)
        try check(live, "the transaction to be measured")
        let scripted = ScriptedCard(recorder.exchanges)
        try check(await perform(kernel, scripted, pad), "its repetition")

        let keys = try RecordedKeys(card, recorder.exchanges, data: live.data.card)
        guard let pinData = recorder.exchanges.first(where: { $0.command.instruction == .verify })?.command.data else {
            throw BenchmarkError("no PIN went to the card")
        }
        let operations =
            keys.certificates
            + [
                RSAOperation(pinData, keys.icc), RSAOperation(try keys.signature(in: .generateAC, 0), keys.icc),
                RSAOperation(try keys.signature(in: .generateAC, 1), keys.icc),
            ]
        var comparison = Comparison(
            "online contact transaction: CDA, enciphered PIN, two scripts, \(recorder.exchanges.count) commands",
            against: "its \(operations.count) RSA operations by `RSA_public_encrypt`", limit: 0.95)
        var out = [UInt8](repeating: 0, count: 248)
        var failures = 0
        await comparison.measure(times: 100) {
            let outcome = await perform(kernel, scripted, pad)
            if outcome.decision != .approved(.online) { failures += 1 }
        } reference: {
            for operation in operations where !operation.run(&out) { failures += 1 }
        }
        guard failures == 0 else { throw BenchmarkError("\(failures) of the measured transactions failed") }
        return [comparison]
    }

    /// All of it happened: approved online, both signatures right, the PIN verified, both scripts
    /// performed.
    private static func check(_ outcome: Outcome, _ what: String) throws {
        let scripts = outcome.data[.issuerScriptResults]
        guard outcome.decision == .approved(.online), outcome.tvr == [.merchantForcedOnline],
            outcome.cvmResults.code == .encipheredPIN,
            outcome.cvmResults.result == .successful, scripts == [0x20, 1, 2, 3, 4, 0x20, 1, 2, 3, 4]
        else {
            throw BenchmarkError(
                "\(what) ended \(outcome.decision.summary), TVR \(outcome.tvr), \(outcome.cvmResults.summary), \(scripts?.hex ?? "no scripts")"
            )
        }
    }

    private static func configuration(_ card: PersonalizedCard) -> TerminalConfiguration {
        TerminalConfiguration(
            capabilities: [.contactChip, .encipheredOfflinePINByRSA, .signature, .noCVM, .sda, .dda, .cda],
            additionalCapabilities: [.goods, .services], countryCode: 276,
            applications: [
                ApplicationConfiguration(
                    aid: [0xA0, 0x00, 0x00, 0x00, 0x03, 0x10, 0x10], versions: [0x0096], floorLimit: 10_000)
            ],
            caKeys: [card.caPublicKey], usesPaymentSystemEnvironment: false)
    }

    /// A script before the last cryptogram and one after it, as long as those of an issuer with a
    /// MAC of eight bytes (Book 3, 6.5.10 and 6.5.2).
    private static let answer: OnlineAnswer = {
        func script(_ template: Tag, _ instruction: Instruction) -> [UInt8] {
            tlv(template) { contents in
                contents.append(.issuerScriptIdentifier, [1, 2, 3, 4])
                contents.append(
                    .command,
                    CommandAPDU(cla: 0x84, ins: instruction.rawValue, data: [UInt8](repeating: 0xA5, count: 8)).bytes)
            }
        }
        return .answered(
            IssuerResponse(
                responseCode: Array("00".utf8), authenticationData: [1, 2, 3, 4, 5, 6, 7, 8],
                scripts: [
                    script(.issuerScriptTemplate1, .pinChangeUnblock),
                    script(.issuerScriptTemplate2, .applicationUnblock),
                ]))
    }()

    private static func perform(_ kernel: ContactKernel, _ card: any CardChannel, _ pad: VirtualPINPad) async -> Outcome
    {
        await kernel.perform(
            TransactionRequest(
                amount: 1234, currencyCode: 978, date: [0x26, 0x11, 0x21], time: [0x12, 0x00, 0x00], forcesOnline: true),
            card: card,
            cardholder: BenchCardholder(pinPad: pad), issuer: BenchIssuer(answer: answer),
            environment: FixedEnvironment())
    }
}
