import Bytes
import CardCryptography
import Contactless
import EMVKernel
import JSONDocument
import Kernels
import SmartCard
import Synchronization
import TLV
import VirtualCard

/// One tap with all functions of kernel 8: relay resistance, encrypted records, two data envelopes
/// read and one written.
struct RecordedSession {
    let json: JSON

    private static let request = TransactionRequest(
        amount: 12_34, currencyCode: 978, date: [0x26, 0x03, 0x09], time: [0x12, 0x00, 0x00])
    private static let number: [UInt8] = [0x4B, 0x38, 0x4B, 0x38]
    private static let written: [UInt8] = Array("WRITTEN BY THE TERMINAL".utf8)

    init(_ curve: Kernel8ContactlessProfile.Curve, on bench: CardPersonalizer) async throws {
        let suite: EnciphermentSuite = curve == .p256 ? .p256 : .p521
        let kernelScalar = TestBytes.scalar("kernel", suite)
        let (cardScalar, cardKey) = try Self.cardKey(suite)
        let card = try bench.personalize(Self.profile(curve), channelKey: cardKey)
        let exchanges = try await Self.exchanges(card, suite, kernelScalar)
        let session = try Session(exchanges, agreement: KernelKeyAgreement(suite, scalar: SecretBytes(kernelScalar)))
        json = .object([
            "source": .text(
                "CardPresent, make-kernel8-sessions: a virtual card with test keys; recomputed by Tests/Peers/kernel8.py"
            ),
            "curve": .text(curve.rawValue),
            "authority": Self.authority(card), "kernelPrivateKey": .hex(kernelScalar),
            "cardPrivateKey": .hex(cardScalar),
            "issuerMasterKey": .hex(card.profile.issuerMasterKeys.applicationCryptogram.bytes.revealed()),
            "panSequenceNumber": .hex([card.profile.account.panSequenceNumber ?? 0]),
            "exchanges": .list(
                exchanges.map { .object(["command": .hex($0.command.bytes), "answer": .hex($0.response.bytes)]) }),
            "agreement": session.agreement, "messages": .list(session.messages), "local": session.local,
        ])
    }

    private static func profile(_ curve: Kernel8ContactlessProfile.Curve) -> CardProfile {
        var contactless = Kernel8ContactlessProfile()
        contactless.curve = curve
        contactless.approvesOfflineUpTo = 25_00
        contactless.relayResistance = CardRelayResistance()
        contactless.envelopes = [1: Array("FIRST".utf8), 2: Array("A SECOND ENVELOPE OF MORE THAN TWO BLOCKS".utf8)]
        return .kernel8Style(contactless)
    }

    /// The first key of the sequence with the lesser y.
    private static func cardKey(_ suite: EnciphermentSuite) throws -> ([UInt8], ECPrivateKey) {
        for index in 0..<64 {
            let scalar = TestBytes.scalar("card \(index)", suite)
            if let key = try? ECPrivateKey(suite.curve, scalar: SecretBytes(scalar)) { return (scalar, key) }
        }
        throw SessionError("no key of the card has the lesser y")
    }

    private static func authority(_ card: PersonalizedCard) -> JSON {
        for key in card.caPublicKeys {
            guard case .ellipticCurve(let point, _) = key.key else { continue }
            return .object(["rid": .hex(key.rid), "index": .hex([key.index]), "x": .hex(point.x)])
        }
        return .null
    }

    private static func exchanges(
        _ card: PersonalizedCard, _ suite: EnciphermentSuite, _ kernelScalar: [UInt8]
    ) async throws -> [APDUTrace.Exchange] {
        let drawn = Mutex(0)
        let virtual = VirtualCard(card, interface: .contactless) { count in
            drawn.withLock {
                $0 += 1
                return TestBytes.make("card draws \($0)", count: count)
            }
        }
        let key = try KernelKeyAgreement(suite, scalar: SecretBytes(kernelScalar))
        var kernel = Kernel8Configuration(floorLimit: 25_00, cvmRequiredLimit: 50_00)
        kernel.makeKey = { _ in key }
        kernel.relayResistance = RelayResistanceLimits()
        kernel.envelopesToRead = [1, 2]
        kernel.envelopesToWrite = Kernel8Configuration.DataEnvelope(number: 10, value: written).map { [$0] } ?? []
        let terminal = TerminalConfiguration(
            type: .attendedOnlineWithOfflineCapability, capabilities: [.contactChip, .signature],
            additionalCapabilities: [],
            countryCode: 276, applications: [], caKeys: card.caPublicKeys)
        var entryPoint = EntryPoint(
            EntryPointConfiguration(
                terminal: terminal,
                combinations: [
                    Combination(aid: card.profile.applications[0].aid, limits: TransactionLimits(), kernel: kernel)
                ]),
            request: request, environment: KnownNumber())
        var step = entryPoint.start()
        var exchanges: [APDUTrace.Exchange] = []
        while true {
            switch step.action {
            case .poll: step = entryPoint.next(.cardPresent)
            case .waitForEmptyField: step = entryPoint.next(.fieldEmpty)
            case .transmit(let command):
                let answer = try await virtual.transmit(command)
                exchanges.append(APDUTrace.Exchange(command: command, response: answer))
                step = entryPoint.next(.answered(answer, after: .milliseconds(7)))
            case .end(let outcome):
                guard outcome.status == .approved else {
                    throw SessionError("the tap ended otherwise: \(outcome.status)")
                }
                return exchanges
            }
        }
    }

    private struct KnownNumber: EMVEnvironment {
        func unpredictableNumber() -> [UInt8] { number }
        func randomPercentage() -> Int { 50 }
    }
}

/// Deterministic bytes in place of the random bytes of both sides: SHA-256 over a label and a
/// number.
enum TestBytes {
    static func make(_ label: String, count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count { bytes += SHA256.hash(Array("\(label)/\(bytes.count / 32)".utf8)) }
        return Array(bytes.prefix(count))
    }

    /// Below the order of the curve, except with a probability of one in millions.
    static func scalar(_ label: String, _ suite: EnciphermentSuite) -> [UInt8] {
        var bytes = make("private key of \(label), \(suite)", count: suite.curve.fieldCount)
        bytes[0] = 0
        return bytes
    }
}

struct SessionError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
