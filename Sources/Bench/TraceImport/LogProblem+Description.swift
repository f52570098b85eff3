import Bytes
import SmartCard

extension LogProblem: CustomStringConvertible {
    public var description: String {
        switch place {
        case .whole: reason.description
        case .line(let number): "line \(number): \(reason)"
        case .packet(let number): "packet \(number): \(reason)"
        }
    }
}

extension LogProblem.Reason: CustomStringConvertible {
    public var description: String {
        switch self {
        case .tooLarge: "the log is larger than \(LogImport.maximumSize >> 20) MiB"
        case .tooManyEvents(let maximum): "more than \(maximum) events"
        case .notUTF8: "not a text in UTF-8"
        case .noCommands: "the log contains no command with an answer"
        case .answersToResetAlone: "pcsc_scan shows answers to reset and no commands: cardpresent decode explains one"
        case .trace(let reason): "\(reason)"
        case .unknownFormat(let error):
            "unknown log format: \(error.map { "as a trace, \($0)" } ?? Self.notUTF8.description); "
                + "the formats are \(LogFormat.allCases.map(\.rawValue).joined(separator: ", "))"
        case .notHexadecimal(let error): "\(error)"
        case .unreadableDigits: "the digits cannot be read"
        case .unreadableStatusWord: "the status word cannot be read"
        case .neitherCommandNorAnswer: "neither a command nor an answer"
        case .strayDigits: "the digits belong to no command or answer"
        case .cutAnswer: "the message does not come to its end"
        case .notAnExchange: "not a command, its status word and its data"
        case .wrongCount(.announced, let count, let shown): "\(count) bytes are announced, but \(shown) are shown"
        case .wrongCount(.sent, let count, let shown): "\(count) bytes were sent, but \(shown) are shown"
        case .wrongCount(.received, let count, let shown): "\(count) bytes were received, but \(shown) are shown"
        case .unfinishedCall: "the call of SCardTransmit does not end"
        case .notACommand(let count): "these \(count) bytes are not a command: the lengths do not match"
        case .commandWithoutAnswer: "the log has no answer to the command"
        case .answerWithoutCommand: "an answer without a command before it"
        case .noStatusWord: "the answer contains no status word"
        case .notACapture: "neither a pcap nor a pcapng file"
        case .brokenCapture(let fault): fault.description
        case .linkType(let type, .usbmon): "a packet of link type \(type): usbmon's are 189 and 220"
        case .linkType(let type, .gsmtap): "a packet of link type \(type), which holds no GSMTAP"
        case .cutUSBHeader: "the packet ends within usbmon's header"
        case .cutTransfer(let captured, let count): "the capture has \(captured) bytes of a transfer of \(count)"
        case .cutGSMTAPMessage: "the GSMTAP message is cut"
        case .notACCIDMessage(let count): "a message of \(count) bytes is not a CCID message"
        case .notATPDU(let count, let longest): "\(count) bytes are not a TPDU: it has 7 to \(longest)"
        case .partWithoutBeginning(let message): "a part without the beginning of its \(message)"
        case .partWithoutHeader: "a part without the header of its command"
        case .noLastPart(let message): "the last part of the \(message) is missing"
        case .noStatus: "the status of the command is missing"
        case .partsTooLong(let message): "the parts are longer than any \(message)"
        case .chainTooLong(let message): "the chain of blocks is longer than any \(message)"
        case .notABlock: "not a T=1 block"
        case .cutBlock: "the block ends within its prologue"
        case .blockChecksum: "the block's check bytes are wrong"
        case .frameChecksum: "the check bytes of the frame are wrong"
        case .noise: "the frame is too short for its check bytes"
        case .severalClients: "commands of several programs wait, and the log does not say whose answer this is"
        }
    }
}

extension LogProblem.CaptureFault: CustomStringConvertible {
    public var description: String {
        switch self {
        case .cutHeader: "the file ends within its header"
        case .cutPacketHeader: "the file ends within a packet's header"
        case .cutPacket: "the file ends within a packet"
        case .cutBlock: "the file ends within a block"
        case .sectionWithoutByteOrder: "a section has no byte order"
        case .unreadableInterface: "an interface cannot be read"
        case .packetWithoutInterface: "a packet without its interface"
        case .unreadablePacket: "a packet's block cannot be read"
        }
    }
}

extension LogProblem.Message: CustomStringConvertible {
    public var description: String {
        switch self {
        case .command: "command"
        case .answer: "answer"
        case .commandOrAnswer: "command or answer"
        case .tpdu: "TPDU"
        }
    }
}
