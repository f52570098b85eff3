public import SmartCard

/// One thing that goes wrong with a card: what, and when. Several make a fault script.
public struct CardFault: Sendable, Equatable {
    public var effect: Effect
    public var occasion: Occasion

    public init(_ effect: Effect, at occasion: Occasion) {
        self.effect = effect
        self.occasion = occasion
    }

    /// Commands are counted as they reach the card, from 1, failed ones and GET RESPONSE among them.
    public enum Occasion: Sendable, Equatable {
        /// The command with this number.
        case step(Int)
        /// The command of this kind that is the so-maniest of its kind.
        case command(Instruction, occurrence: Int)
        case every(Instruction)
        case always

        func covers(_ instruction: Instruction?, step: Int, occurrence: Int) -> Bool {
            switch self {
            case .step(let wanted): step == wanted
            case .command(let wanted, let number): instruction == wanted && occurrence == number
            case .every(let wanted): instruction == wanted
            case .always: true
            }
        }
    }

    public enum Effect: Sendable, Equatable {
        /// The card is gone and stays away.
        case removal
        /// The command is carried out, its answer never comes.
        case silence
        /// The command is not carried out; the card answers with the status word alone.
        case status(StatusWord)
        /// The byte of the answer's data at `index`, from 0, is combined with `mask` by exclusive or; an index past the end changes nothing.
        case corruption(index: Int, mask: UInt8)
        /// The answer's data end after so many bytes.
        case truncation(to: Int)
        /// The answer comes so much later, or never where the reader does not wait that long.
        case delay(milliseconds: Int)
        /// The command is carried out, and answered as the command before it was; the first of all is answered as it should be.
        case previousAnswer
        /// The card answers `61xx`, and so every GET RESPONSE from then on, one byte at a time. The command is not carried out.
        case endlessChaining
        /// The card answers `6Cxx` to the command, with another length each time that it is repeated. The command is not carried out.
        case endlessWrongLength
        /// The answer's CID, tag `9F27`, has this value.
        case cryptogramInformation(UInt8)
        /// A SELECT is answered with the FCI of the first that succeeded.
        case firstFCI
        /// A SELECT next finds one more application, with a name of its own.
        case oneMoreApplication
    }
}
