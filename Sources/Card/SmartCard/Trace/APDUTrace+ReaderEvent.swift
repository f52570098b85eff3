private import Bytes
private import TLV

extension APDUTrace {
    /// An event at the reader or at the card in it, other than an answer.
    public enum ReaderEvent: Equatable, Sendable {
        case cardPresented
        /// The answer to reset after power-up or a reset (ISO/IEC 7816-3, 8).
        case reset([UInt8])
        case cardRemoved
        case noAnswer
        case malformedAnswer(String)
        case cancelled
        case readerFailed(String)
        /// Text for people only.
        case other(String)

        /// Why there is no answer to the command before the event; nil if the event is not a reason
        /// for that.
        public var channelError: CardChannelError? {
            switch self {
            case .cardRemoved: .cardRemoved
            case .noAnswer: .timedOut
            case .malformedAnswer(let what): .malformedAnswer(.recorded(what))
            case .cancelled: .cancelled
            case .readerFailed(let what): .readerFailed(.recorded(what))
            case .cardPresented, .reset, .other: nil
            }
        }

        public init(_ error: CardChannelError) {
            switch error {
            case .cardRemoved: self = .cardRemoved
            case .timedOut: self = .noAnswer
            case .malformedAnswer(let what): self = .malformedAnswer(what.description)
            case .cancelled: self = .cancelled
            case .readerFailed(let what): self = .readerFailed(what.description)
            }
        }

        /// Its text in a trace.
        public var text: String {
            switch self {
            case .cardPresented: "card presented"
            case .reset(let bytes): "reset \(bytes.hex)"
            case .cardRemoved: "card removed"
            case .noAnswer: "no answer"
            case .malformedAnswer(let what): what.isEmpty ? "malformed answer" : "malformed answer: \(what)"
            case .cancelled: "cancelled"
            case .readerFailed(let what): what.isEmpty ? "reader failed" : "reader failed: \(what)"
            case .other(let words): words
            }
        }

        /// Reads ``text``; an unknown event is ``other(_:)``.
        public init(text: String) {
            let colon = text.firstIndex(of: ":")
            let name = text[..<(colon ?? text.endIndex)]
            let what = colon.map { String(text[text.index(after: $0)...].drop { $0 == " " }) } ?? ""
            switch (name, what.isEmpty) {
            case ("card presented", true): self = .cardPresented
            case ("card removed", true): self = .cardRemoved
            case ("no answer", true): self = .noAnswer
            case ("cancelled", true): self = .cancelled
            case ("malformed answer", _): self = .malformedAnswer(what)
            case ("reader failed", _): self = .readerFailed(what)
            default:
                // Hidden digits are read as zeros, as those of commands and answers are.
                if text.hasPrefix("reset "),
                    let bytes = try? [UInt8](hex: text.dropFirst(6).replacing(String(Redaction.mask), with: "0"))
                {
                    self = .reset(bytes)
                } else {
                    self = .other(text)
                }
            }
        }
    }
}
