extension Explanation {
    /// A command and its answer.
    public struct Exchange: Sendable, Encodable {
        /// "READ RECORD 1 of SFI 2".
        public let command: String
        /// Other details of the header.
        public let details: [String]
        /// The command's bytes in the parts of the standard: CLA, INS, P1, P2, Lc, data, Le.
        public let commandParts: [Part]
        /// What the terminal sent for the card's list, by tag.
        public let sent: [DataField]
        /// Nil for a command without an answer.
        public let answer: Answer?
    }

    public struct Answer: Sendable, Encodable {
        /// Data as far as they may be shown, then SW1 SW2.
        public let parts: [Part]
        public let fields: [DataField]
        /// Why the data cannot be parsed; nil if they can.
        public let problem: String?
        /// Four digits.
        public let status: String
        /// The standard's text for it.
        public let statusWords: String
        /// What it means as the answer to this command; nil if the text is enough.
        public let meaning: String?
        /// Whether it is 9000, or another expected status of this command.
        public let isExpected: Bool
    }

    /// A run of bytes with a name.
    public struct Part: Sendable, Encodable, Equatable {
        public let name: String
        /// Hexadecimal digits, hidden ones as `*`.
        public let bytes: String
        public let meaning: String?

        public init(_ name: String, _ bytes: String, meaning: String? = nil) {
            self.name = name
            self.bytes = bytes
            self.meaning = meaning
        }

        private enum CodingKeys: String, CodingKey {
            case name, bytes
            case meaning = "words"
        }
    }
}
