public import SmartCard

/// One thing that goes wrong with a card. Steps count the commands that reach it, from 1.
public enum CardFault: Sendable, Equatable {
    /// The card is gone at the step and stays away.
    case removal(atStep: Int)
    /// The command is carried out, its answer never comes.
    case silence(atStep: Int)
    /// The command is not carried out; the card answers with the status word alone.
    case status(StatusWord, atStep: Int)
    /// Every bit of the byte at the index of the answer's data is flipped; an index past its end changes nothing.
    case corruption(ofByte: Int, atStep: Int)
    /// The answer's data end after so many bytes.
    case truncation(to: Int, atStep: Int)
    /// Every SELECT is answered with the FCI of the first that succeeded.
    case sameFCIForEverySelect
    /// SELECT next always finds one more application, each with a name of its own.
    case endlessSelectNext
}
