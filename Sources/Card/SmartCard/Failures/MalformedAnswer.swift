extension CardChannelError {
    /// The fault in a card's answer.
    public enum MalformedAnswer: Hashable, Sendable {
        case noStatusWord
        case tooLong(maximum: Int)
        /// A part of a chained answer has no data.
        case emptyPart
        /// The reader has no answer, or could not read it.
        case notReceived
        case parity
        /// The reader's buffer overflowed.
        case overrun
        /// T=0.
        case invalidProcedureByte, excessData, excessRequest
        /// T=1.
        case lost, tooManyBlocksLost, invalidInformationFieldSize, chainAborted, resynchronizationFailed
        /// ISO/IEC 14443-4. ``addressedBlock``: a block with a card identifier or a node address.
        /// ``unexpectedBlock``: a block that does not follow the previous one. ``damagedBlocks``
        /// and ``blockNotReceived``: all tries failed.
        case invalidBlock, addressedBlock, unexpectedBlock, damagedBlocks, blockNotReceived
        /// The reader reports that the answer to reset, the card's contacts or its data are
        /// damaged.
        case damaged
        /// From a recording, which has only the text of a fault.
        case recorded(String)
    }
}

extension CardChannelError.MalformedAnswer: CustomStringConvertible {
    public var description: String {
        switch self {
        case .noStatusWord: "no status word"
        case .tooLong(let maximum): "it has more than \(maximum) bytes"
        case .emptyPart: "a chained answer has an empty part"
        case .notReceived: "the reader could not receive it"
        case .parity: "parity error"
        case .overrun: "the reader's buffer overflowed"
        case .invalidProcedureByte: "T=0: invalid procedure byte"
        case .excessData: "T=0: more data than requested"
        case .excessRequest: "T=0: the card requests data, but the command has no more"
        case .lost: "T=1: the answer is lost"
        case .tooManyBlocksLost: "T=1: too many blocks are lost"
        case .invalidInformationFieldSize: "T=1: invalid information field size"
        case .chainAborted: "T=1: the card aborted the chain"
        case .resynchronizationFailed: "T=1: resynchronization failed"
        case .invalidBlock: "contactless: invalid block"
        case .addressedBlock: "contactless: a block with an address, which was not given"
        case .unexpectedBlock: "contactless: unexpected block"
        case .damagedBlocks: "contactless: each block is damaged: hold the card still, and other cards away"
        case .blockNotReceived: "contactless: the card does not receive the command: hold it closer"
        case .damaged: "the card's data are damaged: clean its contacts"
        case .recorded(let text): text
        }
    }
}
