public import SmartCard
public import TLV

/// One fault of a card: its kind and its occasion. Several faults make a fault script.
public struct CardFault: Sendable, Equatable {
    public var effect: Effect
    public var occasion: Occasion

    public init(_ effect: Effect, at occasion: Occasion) {
        self.effect = effect
        self.occasion = occasion
    }

    /// Commands are counted from 1 when they reach the card, including failed ones and GET
    /// RESPONSE.
    public enum Occasion: Sendable, Equatable {
        /// The command with this number.
        case step(Int)
        /// The command with this instruction and this number among commands with the same
        /// instruction.
        case command(Instruction, occurrence: Int)
        case every(Instruction)
        case always

        func covers(_ instruction: Instruction?, step: Int, occurrence: Int) -> Bool {
            switch self {
            case .step(let expected): step == expected
            case .command(let expected, let number): instruction == expected && occurrence == number
            case .every(let expected): instruction == expected
            case .always: true
            }
        }
    }

    public enum Effect: Sendable, Equatable {
        /// The card is removed and stays away.
        case removal
        /// The command is executed, but there is no answer.
        case silence
        /// The command is not executed; the card answers with only the status word.
        case status(StatusWord)
        /// The byte of the answer's data at `index`, from 0, is combined with `mask` by exclusive
        /// or; an index past the end has no effect.
        case corruption(index: Int, mask: UInt8)
        /// The answer's data are truncated to this number of bytes.
        case truncation(to: Int)
        /// The answer is delayed by this time, or missing if the reader does not wait that long.
        case delay(milliseconds: Int)
        /// The command is executed, but the answer is that of the previous command; the first
        /// command gets its own answer.
        case previousAnswer
        /// The card answers `61xx`, and also to every GET RESPONSE from then on, one byte at a
        /// time. The command is not executed.
        case endlessChaining
        /// The card answers `6Cxx` to the command, with a different length at each repetition. The
        /// command is not executed.
        case endlessWrongLength
        /// The answer's CID, tag `9F27`, has this value.
        case cryptogramInformation(UInt8)
        /// A SELECT is answered with the FCI of the first that succeeded.
        case firstFCI
        /// A SELECT next finds one more application, with a name of its own.
        case oneMoreApplication
        /// The card asks for more time so often before it answers, each time for
        /// ``FaultyCard/extensionTime`` (S(WTX); ISO/IEC 14443-4:2008, 7.3); nil: without end. A
        /// reader gives up after 256 of them.
        case waitingTimeExtensions(Int?)
        /// Each data object of the answer with this tag has this value, in templates too; an answer
        /// that is not well-formed BER-TLV does not change.
        case replacement(TLV.Tag, value: [UInt8])
        /// An application has another name for the reader: in SELECT, and in tags `4F` and `84` of
        /// the answers.
        case otherName([UInt8], insteadOf: [UInt8])
        /// Another card is in the field at so many presentations, from the first; nil: at each. It
        /// concerns presentations, regardless of the occasion.
        case secondCard(presentations: Int?)
    }
}
