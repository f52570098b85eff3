import BenchHost
import Bytes
import CardCryptography
import CardProfiles
import CardReaders
import EMVKernel
import SmartCard

/// The cardholder of a case.
struct PlanCardholder: Cardholder {
    let pinPad: (any PINPad)?
    private let choice: Int

    init(_ test: TestCase) throws {
        choice = test.terminal.choice ?? 1
        pinPad =
            switch test.cardholder {
            case .entersPIN: try PadQueue([Self.enters("1234")])
            case .entersWrongPIN: try PadQueue([Self.enters("4321")])
            case .entersWrongThenRightPIN: try PadQueue([Self.enters("4321"), Self.enters("1234")])
            case .bypasses: try PadQueue([Self.pad(.bypasses)])
            case .findsPadBroken: try PadQueue([Self.pad(.fails)])
            case .hasNoPad: nil
            }
    }

    func chooseApplication(_ candidates: [Candidate]) async -> Int? { min(choice, candidates.count) - 1 }

    private static func enters(_ digits: String) throws -> VirtualPINPad {
        guard let pin = PIN(ascii: digits.utf8) else { throw PlanError("no PIN") }
        return try pad(.enters(pin))
    }

    private static func pad(_ behavior: VirtualPINPad.Behavior) throws -> VirtualPINPad {
        guard let serial = KeySerialNumber([0xFF, 0xFF, 0x98, 0x76, 0x54, 0x32, 0x10, 0xE0, 0x00, 0x00]) else {
            throw PlanError("no serial number")
        }
        let key = try TDESDUKPT.initialKey(baseDerivationKey: BenchIssuer.baseDerivationKey(), serialNumber: serial)
        return VirtualPINPad(behavior, initialKey: key, serialNumber: serial)
    }
}

/// A PIN pad at which the cardholder does one thing after the other, the last of them again and again.
private actor PadQueue: PINPad {
    private var pads: [VirtualPINPad]
    init(_ pads: [VirtualPINPad]) { self.pads = pads }

    private func next() -> VirtualPINPad { pads.count > 1 ? pads.removeFirst() : pads[0] }

    func enterOnlinePIN(pan: SecretBytes, amount: UInt64, currencyCode: UInt16) async -> OnlinePINEntry {
        await next().enterOnlinePIN(pan: pan, amount: amount, currencyCode: currencyCode)
    }

    func verifyOfflinePIN(
        _ form: OfflinePINForm, triesLeft: UInt8?, card: any CardChannel
    ) async throws(CardChannelError) -> OfflinePINEntry {
        try await next().verifyOfflinePIN(form, triesLeft: triesLeft, card: card)
    }
}
