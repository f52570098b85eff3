public import Bytes
public import SmartCard

/// A problem in a log and its place.
public struct LogProblem: Error, Equatable, Sendable {
    public enum Place: Equatable, Sendable {
        case whole
        /// From 1.
        case line(Int)
        /// From 1, as capture programs count them.
        case packet(Int)
    }

    public enum Reason: Equatable, Sendable {
        /// The log has more bytes than ``LogImport/maximumSize``.
        case tooLarge
        /// The log has more events than this.
        case tooManyEvents(Int)
        case notUTF8
        case noCommands
        /// What pcsc_scan prints: cards that come and go, and their answers to reset.
        case answersToResetAlone
        /// A line of our own format.
        case trace(APDUTraceError.Reason)
        /// The log has no known format; why it is not a trace, nil for a log that is not in UTF-8.
        case unknownFormat(APDUTraceError?)

        // Lines of other tools
        case notHexadecimal(HexError)
        case unreadableDigits
        case unreadableStatusWord
        case neitherCommandNorAnswer
        /// Digits outside a command or an answer.
        case strayDigits
        /// A line of cardpeek without a command, its status word and its data.
        case notAnExchange
        /// The message does not come to its end.
        case cutAnswer
        /// The line announces another number of bytes than it shows.
        case wrongCount(Transfer, Int, shown: Int)
        case unfinishedCall

        // Commands and answers
        case notACommand(count: Int)
        case commandWithoutAnswer
        case answerWithoutCommand
        case noStatusWord

        // Captures
        case notACapture
        /// The capture file cannot be read from here on.
        case brokenCapture(CaptureFault)
        case linkType(UInt32, Capture)
        case cutUSBHeader
        case cutTransfer(captured: Int, of: Int)
        case cutGSMTAPMessage
        case notACCIDMessage(count: Int)
        /// A TPDU has 7 to this many bytes.
        case notATPDU(count: Int, longest: Int)

        // Parts and blocks
        case partWithoutBeginning(Message)
        case partWithoutHeader
        case noLastPart(Message)
        case noStatus
        case partsTooLong(Message)
        case chainTooLong(Message)
        case notABlock
        case cutBlock
        case blockChecksum
        case frameChecksum
        /// A frame of one or two bytes within a conversation.
        case noise
        /// Several clients of the reader service have sent commands, and the log does not say whose
        /// answer this is.
        case severalClients
    }

    /// The moment at which a log counts bytes.
    public enum Transfer: Equatable, Sendable {
        case announced, sent, received
    }

    public enum Capture: Equatable, Sendable {
        case usbmon, gsmtap
    }

    public enum CaptureFault: Equatable, Sendable {
        case cutHeader, cutPacketHeader, cutPacket, cutBlock
        case sectionWithoutByteOrder, unreadableInterface, packetWithoutInterface, unreadablePacket
    }

    /// What is sent in several parts.
    public enum Message: Equatable, Sendable {
        case command, answer, commandOrAnswer, tpdu
    }

    public let place: Place
    public let reason: Reason

    public init(_ place: Place, _ reason: Reason) {
        self.place = place
        self.reason = reason
    }
}
