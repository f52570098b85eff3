/// Why a request to a reader or to the card in it failed.
public enum ReaderFailure: Error, Hashable, Sendable {
    /// Another transaction is in progress.
    case busy
    case timedOut
    /// The card does not answer, to a reset or at all.
    case cardMute
    case answerToReset(AnswerToResetError)
    /// The card's first exchange after its reset failed.
    case malformedAnswer(CardChannelError.MalformedAnswer)
    /// The card has a protocol that the reader supports, but did not switch to it.
    case protocolNotSelected
    /// The reader requires T=0 at the initial rate, which the card does not support.
    case initialRateRequired
    /// The reader does not support extended APDUs.
    case shortCommandsOnly
    /// The card uses T=0, which has no extended commands.
    case noExtendedCommands
    /// The reader encrypts card data for another party.
    case cardDataEncrypted
    /// The device repeatedly asks which application to use.
    case repeatsApplicationSelection
    /// The device repeatedly asks for the issuer's answer.
    case repeatsOnlineRequest
    /// The device asks for a decision that its driver does not know.
    case unknownRequest
    case invalidAnswer
    /// In the terms of the reader's family.
    case driver(DriverFailure)
    /// From a recording, which has only the text of a failure.
    case recorded(String)

    /// In the terms of the reader's family.
    public static func driver(_ cause: some DriverError) -> ReaderFailure { .driver(DriverFailure(cause)) }
}

extension ReaderFailure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .busy: "the reader is busy with another transaction: wait until it ends, or cancel it"
        case .timedOut: "the reader timed out: check it and reconnect it"
        case .cardMute: "the card does not answer: insert it chip first, or try another"
        case .answerToReset(let error): error.description
        case .malformedAnswer(let fault): "the card's answer is malformed: \(fault)"
        case .protocolNotSelected: "the card does not switch to a protocol that the reader supports"
        case .initialRateRequired:
            "the card does not support T=0 at the initial rate, which this reader requires: use another reader"
        case .shortCommandsOnly: "the reader supports short APDUs only: use another reader"
        case .noExtendedCommands: "the card speaks T=0, which has no extended commands"
        case .cardDataEncrypted:
            "the PIN pad encrypts card data for a decryption service (P2PE): have it configured for clear card data"
        case .repeatsApplicationSelection: "the device repeats its application selection too often: use another card"
        case .repeatsOnlineRequest: "the device repeats its online request too often: cancel and start again"
        case .unknownRequest: "the PIN pad requests a decision that this driver does not support"
        case .invalidAnswer: "the PIN pad's answer is invalid"
        case .driver(let failure): failure.description
        case .recorded(let text): text
        }
    }
}
