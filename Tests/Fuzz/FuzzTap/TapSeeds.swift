import Foundation
import Modules
import Synchronization

/// Taps of virtual cards with the terminal of this target, from which the fuzzer begins: their
/// certificates and signatures are verified, and stay so until the fuzzer changes them. They are
/// made before each run, so they fit the terminal.
enum TapSeeds {
    /// Made with `openssl genrsa -3` for this fuzzer.
    private static func key(_ prime1: String, _ prime2: String) -> RSAPrivateKey {
        do {
            return try RSAPrivateKey(
                prime1: SecretBytes([UInt8](hex: prime1)), prime2: SecretBytes([UInt8](hex: prime2)), exponent: 3)
        } catch {
            preconditionFailure("\(error)")
        }
    }

    private static let authority = key(
        "E7D0C8476BE94F2C856945D77405F0606F5A720D107807B2DBE8D2F9DDE56F069D560895CE7F3B41B6F751B0D7A56343442C37F28647D519050A73F75CB55E37",
        "DBF0090DD8365843DF38C86ECD3801F32A7013ED1AC8217EB83BC69409F4BFC2C4F6B88F47F814DA50C01B62F78C6442CE3DE8E845289C9E7CF678A4E003AC59"
    )
    private static let issuer = key(
        "F74DF4720725B01B3DEF8408F218A1A256E3B76629F6A4F7EF64EBBE12E5168DAE3D6D37AA7B81945D0CE2A3B8B622A141DE0EB6F9628A41B4B53FA6983E3263",
        "CE68609F69476A5BACFA4B05538DD3408C6105C372A1EC512A761744C6B023A3A52DDE3D9BB181F82B7FFF81A9EC70E531E26B520AB4A0F0BF5378A9BDE85EF1"
    )
    private static let card = key(
        "E808C9E089B2E2D9FC0E4FB60AB63934C3B0E9D6BB1CAEB9BB79DE23352186030E51D2B268E660EBC7E8E67CC07EFCD9",
        "E53D99105C1479DEC96CE6BBAA5090ED9FF3001EF78267CE3415A7F2DEA22B030BF5E3A778FAD6A2AC84C7ADB071B5B3")

    /// Made with `openssl ecparam -genkey -name prime256v1` for this fuzzer.
    private static func keyOnP256(_ scalar: String) -> ECPrivateKey {
        do {
            return try ECPrivateKey(.p256, scalar: SecretBytes([UInt8](hex: scalar)))
        } catch {
            preconditionFailure("\(error)")
        }
    }

    private static let authorityOnP256 = keyOnP256("FB9311F88998AD41B757ACCDCBD0D9C845CCD76DA881720EE43D4354993670B1")
    private static let channelKey = keyOnP256("95049410A5EC08BEAFD75BD383AD2E74E637C203EE341CA5780DF2CB5E7A6F88")

    /// The terminal's key for the channel of kernel 8, the same in each tap, so that a card's
    /// answers can be taken down.
    static func kernelKey(_ suite: EnciphermentSuite) -> KernelKeyAgreement {
        do {
            let scalar = SecretBytes(
                try [UInt8](hex: "8BBD1C097FB8394A9DFF09120EA914DEABA779143C8E9941D737A5CE8504F00F"))
            return suite == .p256 ? try KernelKeyAgreement(suite, scalar: scalar) : KernelKeyAgreement(suite)
        } catch {
            preconditionFailure("\(error)")
        }
    }

    /// The authority of all systems.
    static let authorityKeys: [CAPublicKey] =
        [
            [0xA0, 0x00, 0x00, 0x00, 0x03], [0xA0, 0x00, 0x00, 0x00, 0x04], [0xA0, 0x00, 0x00, 0x00, 0x25],
            [0xA0, 0x00, 0x00, 0x03, 0x33],
        ].map { CAPublicKey(rid: $0, index: 0xE0, key: .rsa(authority.publicKey), isTest: true) }
        + [
            CAPublicKey(
                rid: [0xF0, 0x00, 0x00, 0x00, 0x01], index: 0xE1, key: .ellipticCurve(authorityOnP256.publicKey, .p256),
                isTest: true)
        ]

    /// Names of files, and cards.
    private static var profiles: [(String, CardProfile)] {
        func visa(_ name: String, _ change: (inout VisaContactlessProfile) -> Void) -> (String, CardProfile) {
            var profile = CardProfile.visaStyle()
            var contactless = VisaContactlessProfile()
            change(&contactless)
            profile.contactless = .visa(contactless)
            return (name, profile)
        }
        func mastercard(_ name: String, _ change: (inout MastercardContactlessProfile) -> Void) -> (String, CardProfile)
        {
            var profile = CardProfile.mastercardStyle()
            var contactless = MastercardContactlessProfile()
            contactless.approvesOfflineUpTo = 50_00
            change(&contactless)
            profile.contactless = .mastercard(contactless)
            return (name, profile)
        }
        var americanExpress = AmericanExpressContactlessProfile()
        americanExpress.approvesOfflineUpTo = 50_00
        var unionPay = VisaContactlessProfile()
        (unionPay.approvesOfflineUpTo, unionPay.verifications) = (50_00, [.signature])
        func kernel8(_ name: String, _ change: (inout Kernel8ContactlessProfile) -> Void) -> (String, CardProfile) {
            var contactless = Kernel8ContactlessProfile()
            contactless.approvesOfflineUpTo = 50_00
            change(&contactless)
            return (name, .kernel8Style(contactless))
        }
        return [
            kernel8("kernel-8") { _ in }, kernel8("kernel-8-online") { $0.approvesOfflineUpTo = nil },
            kernel8("kernel-8-relay") { $0.relayResistance = CardRelayResistance() },
            kernel8("kernel-8-storage") { $0.envelopes = [1: Array("FIRST".utf8)] },
            visa("visa-offline") { ($0.approvesOfflineUpTo, $0.verifications) = (50_00, [.signature]) },
            visa("visa-online") { $0.qualifiers = .issuerUpdateProcessing },
            visa("visa-transit") {
                ($0.device, $0.transit, $0.verifications) = (.locked, .authenticatingReader, [.consumerDevice])
            },
            mastercard("mastercard") { _ in }, mastercard("mastercard-online") { $0.approvesOfflineUpTo = nil },
            mastercard("mastercard-relay") { $0.relayResistance = CardRelayResistance() },
            mastercard("mastercard-torn") { $0.recoversTornTransactions = true },
            mastercard("mastercard-storage") { $0.dataStorage = .init() },
            mastercard("mastercard-stripe") { $0.mode = .magstripe },
            ("amex", .americanExpressStyle(americanExpress)), ("unionpay", .unionPayStyle(unionPay)),
        ]
    }

    /// Writes a file for each tap into a folder.
    static func write(to folder: String) throws {
        let personalizer = CardPersonalizer(authority: authority, issuer: issuer, authorityOnP256: authorityOnP256)
        for (name, profile) in profiles {
            let virtual = VirtualCard(
                try personalizer.personalize(profile, iccKey: card, channelKey: channelKey), interface: .contactless)
            var recorder = Recorder(virtual, tears: name.hasSuffix("torn"))
            tap { command in command.map { recorder.answer($0) } ?? recorder.reset() }
            try Data(recorder.bytes).write(to: URL(filePath: folder).appending(path: name))
        }
    }

    /// A virtual card whose answers are written down as the fuzzer has them.
    private struct Recorder {
        private let card: VirtualCard
        /// Whether the first GENERATE AC gets no answer.
        private var tears: Bool
        private(set) var bytes: [UInt8] = []

        init(_ card: VirtualCard, tears: Bool) {
            self.card = card
            self.tears = tears
        }

        mutating func reset() -> EntryPoint.Event {
            let card = card
            wait { await card.reset() }
            return .cardPresent
        }

        mutating func answer(_ command: CommandAPDU) -> EntryPoint.Event {
            let card = card
            let response = wait { try? await card.transmit(command) } ?? ResponseAPDU(status: .conditionsNotSatisfied)
            if tears, command.instruction == .generateAC {
                tears = false
                bytes += [0, 0]
                return .failed(.timedOut)
            }
            // Three milliseconds, within the times of cards with relay resistance.
            let answer = Array(response.bytes.prefix(255))
            bytes += [UInt8(clamping: answer.count), 3] + answer
            return .answered(response, after: .milliseconds(3))
        }
    }

    /// Blocks the thread, of which the seeds have their own.
    private static func wait<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) -> Value {
        let done = DispatchSemaphore(value: 0)
        let result = Mutex<Value?>(nil)
        Task {
            let value = await body()
            result.withLock { $0 = value }
            done.signal()
        }
        done.wait()
        guard let value = result.withLock({ $0 }) else { preconditionFailure("it was waited for") }
        return value
    }
}
