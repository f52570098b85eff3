import CReference
import CardCryptography
import Contactless
import EMVKernel
import Figures
import Kernels
import SmartCard
import TLV
import VirtualCard

/// Taps that are approved offline, from the first command to the outcome, against the bare cost of
/// their cryptography in libcrypto.
///
/// Kernels 2 and 3 have a card whose answers are prepared: measured is the terminal's side, Entry
/// Point included. Kernel 8 has a new key for each tap, so its card takes part, and the reference
/// has the operations of both.
enum TapBenchmark {
    private static let sizes = RSAKeySizes(certificationAuthority: 1984, issuer: 1408, icc: 1024)
    private static let limits = TransactionLimits(transactionLimit: 250_00, floorLimit: 25_00, cvmRequiredLimit: 50_00)

    static func run() async throws -> (comparisons: [Comparison], figures: [Figure]) {
        var visa = CardProfile.visaStyle()
        visa.keySizes = sizes
        var qualified = VisaContactlessProfile()
        qualified.approvesOfflineUpTo = 25_00
        visa.contactless = .visa(qualified)
        let kernel3 = try await signed(
            visa, .visa(limits: limits), signedIn: .getProcessingOptions, name: "tap of kernel 3, fast DDA", limit: 1.4,
            beyond: 28)
        var mastercard = CardProfile.mastercardStyle()
        mastercard.keySizes = sizes
        var contactless = MastercardContactlessProfile()
        contactless.approvesOfflineUpTo = 25_00
        mastercard.contactless = .mastercard(contactless)
        let kernel2 = try await signed(
            mastercard, .mastercard(limits: limits), signedIn: .generateAC, name: "tap of kernel 2, CDA", limit: 1.5,
            beyond: 33)
        return ([kernel3.comparison, kernel2.comparison, try await enciphered()], [kernel3.beyond, kernel2.beyond])
    }

    private static func signed(
        _ profile: CardProfile, _ combination: Combination, signedIn instruction: Instruction, name: String,
        limit: Double, beyond: Double
    ) async throws -> (comparison: Comparison, beyond: Figure) {
        let card = try PersonalizedCard.make(profile)
        let recorder = Recorder()
        let live = await tap(
            combination, [card.caPublicKey],
            RecordingChannel(VirtualCard(card, interface: .contactless)) { recorder.append($0) })
        guard live.status == .approved, let data = live.data?.card else {
            throw BenchmarkError("\(name) ended \(live.status)")
        }
        let scripted = ScriptedCard(recorder.exchanges)
        let keys = try RecordedKeys(card, recorder.exchanges, data: data)
        let operations = keys.certificates + [RSAOperation(try keys.signature(in: instruction), keys.icc)]
        let name = "\(name): \(recorder.exchanges.count) commands"
        var comparison = Comparison(name, against: "its three RSA operations by `RSA_public_encrypt`", limit: limit)
        var own = Comparison(name, against: "the same by `RSAPublicKey`", limit: .infinity)
        var out = [UInt8](repeating: 0, count: 248)
        var failures = 0
        await comparison.measure(times: 100) {
            if await tap(combination, [card.caPublicKey], scripted).status != .approved { failures += 1 }
        } reference: {
            for operation in operations where !operation.run(&out) { failures += 1 }
        }
        await own.measure(times: 100) {
            if await tap(combination, [card.caPublicKey], scripted).status != .approved { failures += 1 }
        } reference: {
            for operation in operations where (try? operation.key.recover(operation.operand)) == nil { failures += 1 }
        }
        guard failures == 0 else { throw BenchmarkError("\(failures) of the measured taps failed") }
        return (
            comparison, Figure("\(name), without its RSA", value: own.ours - own.reference, unit: "µs", limit: beyond)
        )
    }

    /// Of the kernel: its key, the shared point, the blinded point of the card's key, two
    /// signatures, and the points of the keys of issuer and card and of the blinded one; that of
    /// the authority is kept. Of the card: the blinded and the shared point, with factor and key as
    /// one scalar. AES is not in the reference.
    private static func enciphered() async throws -> Comparison {
        var contactless = Kernel8ContactlessProfile()
        contactless.approvesOfflineUpTo = 25_00
        let profile = CardProfile.kernel8Style(contactless)
        let card = try PersonalizedCard.make(profile)
        let kernel = Kernel8Configuration(floorLimit: 25_00, cvmRequiredLimit: 50_00)
        guard let application = profile.applications.first else { throw BenchmarkError("no application of kernel 8") }
        let combination = Combination(aid: application.aid, limits: TransactionLimits(), kernel: kernel)
        let virtual = VirtualCard(card, interface: .contactless)
        let live = await tap(combination, card.caPublicKeys, virtual)
        guard live.status == .approved else {
            throw BenchmarkError("the tap of kernel 8 ended \(live.status), \(live.reason as Any)")
        }
        var comparison = Comparison(
            "tap of kernel 8, local authentication on P-256: kernel and virtual card",
            against: "their operations on the curve by libcrypto, without AES", limit: 1.7)
        var failures = 0
        await comparison.measure(times: 20) {
            await virtual.reset()
            if await tap(combination, card.caPublicKeys, virtual).status != .approved { failures += 1 }
        } reference: {
            if reference_p256_operate(2, 3, 2, 3) != 1 { failures += 1 }
        }
        guard failures == 0 else { throw BenchmarkError("\(failures) of the measured taps failed") }
        return comparison
    }

    private static func tap(_ combination: Combination, _ keys: [CAPublicKey], _ card: any CardChannel) async
        -> ContactlessOutcome
    {
        let terminal = TerminalConfiguration.attended(countryCode: 276, applications: [], caKeys: keys)
        var entryPoint = EntryPoint(
            EntryPointConfiguration(terminal: terminal, combinations: [combination]),
            request: TransactionRequest(
                amount: 1234, currencyCode: 978, date: [0x26, 0x11, 0x21], time: [0x12, 0x00, 0x00]),
            environment: FixedEnvironment())
        var step = entryPoint.start()
        while true {
            switch step.action {
            case .poll: step = entryPoint.next(.cardPresent)
            case .waitForEmptyField: step = entryPoint.next(.fieldEmpty)
            case .transmit(let command):
                do throws(CardChannelError) {
                    step = entryPoint.next(.answered(try await card.transmit(command), after: .zero))
                } catch {
                    step = entryPoint.next(.failed(error))
                }
            case .end(let outcome): return outcome
            }
        }
    }
}
