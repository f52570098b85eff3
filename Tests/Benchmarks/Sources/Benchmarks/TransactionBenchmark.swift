import CCounters
import CardCryptography
import EMVKernel
import Figures
import SmartCard
import TLV
import VirtualCard

/// A full offline contact transaction with DDA, against the bare cost of the same three RSA
/// recoveries in libcrypto.
enum TransactionBenchmark {
    static func run() async throws -> (comparisons: [Comparison], figures: [Figure]) {
        var profile = CardProfile.visaStyle()
        profile.keySizes = RSAKeySizes(certificationAuthority: 1984, issuer: 1408, icc: 1024)
        profile.interchangeProfile.remove(.cdaSupported)
        profile.hasPaymentSystemEnvironment = false
        let card = try PersonalizedCard.make(profile)
        let recorder = Recorder()
        let kernel = ContactKernel(configuration(card))
        let live = await perform(kernel, RecordingChannel(VirtualCard(card)) { recorder.append($0) })
        guard live.decision == .approved(.offline), live.tsi.contains(.offlineDataAuthentication), live.tvr.isEmpty
        else {
            throw BenchmarkError("the transaction to be measured ended \(live.decision.summary), TVR \(live.tvr)")
        }
        let scripted = ScriptedCard(recorder.exchanges)
        let again = await perform(kernel, scripted)
        guard again.decision == live.decision else { throw BenchmarkError("the scripted card ends otherwise") }

        let keys = try RecordedKeys(card, recorder.exchanges, data: live.data.card)
        let operations = keys.certificates + [RSAOperation(try keys.signature(in: .internalAuthenticate), keys.icc)]
        let name = "offline contact transaction with DDA: \(recorder.exchanges.count) commands"
        var comparison = Comparison(name, against: "its three RSA operations by `RSA_public_encrypt`", limit: 0.83)
        var bare = Comparison(name, against: "the same by `BN_mod_sqr` and `BN_mod_mul` alone", limit: 2.0)
        var own = Comparison(name, against: "the same by `RSAPublicKey`", limit: 2.4)
        var out = [UInt8](repeating: 0, count: 248)
        var failures = 0
        await comparison.measure(times: 100) {
            let outcome = await perform(kernel, scripted)
            if outcome.decision != .approved(.offline) { failures += 1 }
        } reference: {
            for operation in operations where !operation.run(&out) { failures += 1 }
        }
        for operation in operations where !operation.runBare(&out) { failures += 1 }
        await bare.measure(times: 100) {
            let outcome = await perform(kernel, scripted)
            if outcome.decision != .approved(.offline) { failures += 1 }
        } reference: {
            for operation in operations where !operation.runBare(&out) { failures += 1 }
        }
        await own.measure(times: 100) {
            let outcome = await perform(kernel, scripted)
            if outcome.decision != .approved(.offline) { failures += 1 }
        } reference: {
            for operation in operations where (try? operation.key.recover(operation.operand)) == nil { failures += 1 }
        }
        guard failures == 0 else { throw BenchmarkError("\(failures) of the measured transactions failed") }
        return (
            [comparison, bare],
            [
                Figure(
                    "the same transaction without its RSA", value: own.ours - own.reference, unit: "µs", limit: 11.4),
                Figure(
                    "its allocations, RSA included", value: Double(await allocations(kernel, scripted)), unit: "",
                    limit: 66),
            ]
        )
    }

    private static func allocations(_ kernel: ContactKernel, _ card: any CardChannel) async -> Int {
        let before = counted_allocations()
        _ = await perform(kernel, card)
        return counted_allocations() - before
    }

    private static func configuration(_ card: PersonalizedCard) -> TerminalConfiguration {
        TerminalConfiguration(
            capabilities: [.contactChip, .signature, .noCVM, .sda, .dda, .cda],
            additionalCapabilities: [.goods, .services],
            countryCode: 276,
            applications: [
                ApplicationConfiguration(
                    aid: [0xA0, 0x00, 0x00, 0x00, 0x03, 0x10, 0x10], versions: [0x0096], floorLimit: 10_000)
            ],
            caKeys: [card.caPublicKey], usesPaymentSystemEnvironment: false)
    }

    private static func perform(_ kernel: ContactKernel, _ card: any CardChannel) async -> Outcome {
        await kernel.perform(
            TransactionRequest(amount: 1234, currencyCode: 978, date: [0x26, 0x11, 0x21], time: [0x12, 0x00, 0x00]),
            card: card,
            cardholder: BenchCardholder(), issuer: BenchIssuer(answer: .unableToGoOnline),
            environment: FixedEnvironment())
    }
}

struct BenchmarkError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
