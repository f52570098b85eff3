/// A conversation with a card and the events around it, as text that people read and compare
/// (`docs/trace-format.md`).
///
///     # cardpresent trace 2
///     # title: Visa test card, contact, online
///     ! card presented
///     > 00A4040007A000000003101000
///     < 6F168407A0000000031010A50B50095649534120544553549000
///     = Application selection: selected A0000000031010 "VISA TEST"
public struct APDUTrace: Sendable {
    /// A command and the card's answer to it.
    public struct Exchange: Equatable, Sendable {
        /// The line of the command, from 1; 0 if it was not parsed from text.
        public let line: Int
        public let command: CommandAPDU
        public let response: ResponseAPDU
        /// The times of command and answer since the trace's first event; nil if the trace has no
        /// times.
        public let sent, received: Duration?

        public init(
            line: Int = 0, command: CommandAPDU, response: ResponseAPDU, sent: Duration? = nil,
            received: Duration? = nil
        ) {
            self.line = line
            self.command = command
            self.response = response
            self.sent = sent
            self.received = received
        }
    }

    /// One event, with its line and its time.
    public struct Entry: Equatable, Sendable {
        /// From 1; 0 if it was not parsed from text.
        public let line: Int
        /// Since the trace's first event; nil if the trace has no times.
        public let time: Duration?
        public let event: Event

        public init(line: Int = 0, time: Duration? = nil, _ event: Event) {
            self.line = line
            self.time = time
            self.event = event
        }
    }

    public enum Event: Equatable, Sendable {
        case exchange(Exchange)
        /// A command without an answer. The following reader event has the reason:
        /// ``ReaderEvent/channelError``.
        case unanswered(CommandAPDU)
        case reader(ReaderEvent)
        case decision(Decision)
        case host(HostMessage)
        case wire(Wire)
    }

    /// A result of the kernel.
    public struct Decision: Equatable, Sendable {
        /// "Terminal risk management", …: the functions of EMV 4.4 Book 3, 10.
        public let phase: String
        public let summary: String

        public init(phase: String, summary: String) {
            self.phase = phase
            self.summary = summary
        }
    }

    public enum Direction: Character, Sendable {
        case sent = ">"
        case received = "<"
    }

    /// A message between the terminal and its host, as text.
    public struct HostMessage: Equatable, Sendable {
        public let direction: Direction
        public let text: String

        public init(_ direction: Direction, _ text: String) {
            self.direction = direction
            self.text = text
        }
    }

    /// A transfer over the reader's wire, in the line form of `DeviceIO`'s `WireEvent` without the
    /// direction: channel, then bytes, with `..` for a hidden byte.
    public struct Wire: Equatable, Sendable {
        public let direction: Direction
        public let text: String

        public init(_ direction: Direction, _ text: String) {
            self.direction = direction
            self.text = text
        }
    }

    /// The metadata in the head of the text, in its order.
    public var metadata: [(name: String, value: String)]
    public var entries: [Entry]
    /// The text has `*` in place of digits, which are zeros in the commands and answers here.
    public internal(set) var hasHiddenDigits = false

    public init(metadata: [(name: String, value: String)] = [], entries: [Entry] = []) {
        self.metadata = metadata
        self.entries = entries
    }

    public init(metadata: [(name: String, value: String)] = [], exchanges: [Exchange]) {
        self.init(metadata: metadata, entries: exchanges.map { Entry(line: $0.line, time: $0.sent, .exchange($0)) })
    }

    /// A trace with the same metadata and some of the entries.
    public func part(_ range: Range<Int>) -> APDUTrace {
        var part = self
        part.entries = Array(entries[range])
        return part
    }

    /// The commands that were answered, with their answers.
    public var exchanges: [Exchange] {
        entries.compactMap { if case .exchange(let exchange) = $0.event { exchange } else { nil } }
    }

    /// The value of the first metadata called `name`.
    public subscript(name: String) -> String? { metadata.first { $0.name == name }?.value }
}
