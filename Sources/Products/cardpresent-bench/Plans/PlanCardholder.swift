import CardBench
import CardCryptography
import CardProfiles
import CardReaders
import EMVKernel

/// The cardholder of a case.
struct PlanCardholder: Cardholder {
    let pinPad: (any PINPad)?
    private let choice: Int

    init(_ test: TestCase) throws {
        choice = test.terminal.choice ?? 1
        pinPad =
            switch test.cardholder {
            case .entersPIN: try BenchPINPad.make([Self.enters("1234")])
            case .entersWrongPIN: try BenchPINPad.make([Self.enters("4321")])
            case .entersWrongThenRightPIN: try BenchPINPad.make([Self.enters("4321"), Self.enters("1234")])
            case .bypasses: try BenchPINPad.make([.bypasses])
            case .findsPadBroken: try BenchPINPad.make([.fails])
            case .hasNoPad: nil
            }
    }

    func chooseApplication(_ candidates: [Candidate]) async -> Int? { min(choice, candidates.count) - 1 }

    private static func enters(_ digits: String) throws -> VirtualPINPad.Behavior {
        guard let pin = PIN(ascii: digits.utf8) else { throw PlanError("no PIN") }
        return .enters(pin)
    }
}
