public import SmartCard
public import TLV

/// The data of a card that was read like a terminal reads it: the unchanged answers, good or bad.
///
/// It contains the PAN and the track. Its description shows only the amount of data.
public struct CardImage: Sendable {
    /// One answer of the card.
    public struct Answer: Sendable, Equatable {
        public var data: [UInt8]
        public var status: StatusWord

        public init(_ data: [UInt8], _ status: StatusWord = .success) {
            self.data = data
            self.status = status
        }

        init(_ response: ResponseAPDU) { self.init(response.data, response.status) }
    }

    public struct Record: Sendable, Equatable {
        public var place: RecordNumber
        public var answer: Answer
        /// Whether the AFL marks it for offline data authentication.
        public var isAuthenticated: Bool

        public init(_ place: RecordNumber, _ answer: Answer, isAuthenticated: Bool = false) {
            self.place = place
            self.answer = answer
            self.isAuthenticated = isAuthenticated
        }
    }

    /// The data of INTERNAL AUTHENTICATE, and its answer.
    public struct Challenge: Sendable, Equatable {
        public var sent: [UInt8]
        public var answer: Answer

        public init(sent: [UInt8], answer: Answer) {
            self.sent = sent
            self.answer = answer
        }
    }

    public struct Application: Sendable {
        /// The selected name.
        public var name: [UInt8]
        public var fci: Answer
        /// GET PROCESSING OPTIONS; nil if it could not be sent.
        public var options: Answer?
        /// In the order of the AFL.
        public var records: [Record] = []
        /// The answers to GET DATA.
        public var counters: [Counter: Answer] = [:]
        public var challenge: Challenge?
        let interface: CardInterface

        public init(name: [UInt8], fci: Answer, interface: CardInterface = .contact) {
            self.name = name
            self.fci = fci
            self.interface = interface
        }
    }

    /// The data objects read by GET DATA (EMV 4.4 Book 3, 7.3).
    public enum Counter: UInt16, Sendable, CaseIterable {
        case applicationTransactionCounter = 0x9F36
        case lastOnline = 0x9F13
        case pinTries = 0x9F17
        case logFormat = 0x9F4F

        var tag: Tag { Tag(rawValue: UInt32(rawValue)) }
    }

    /// Where the card is read: its contacts have other applications, data and rules than its
    /// contactless side.
    public let interface: CardInterface
    public var answerToReset: [UInt8]?
    /// The answer to SELECT of the payment system environment: `1PAY.SYS.DDF01` at the contacts,
    /// `2PAY.SYS.DDF01`, which has the directory itself, in a reader's field.
    public var environment: Answer?
    /// The records of the payment system directory.
    public var directory: [Record] = []
    public var applications: [Application] = []

    public init(answerToReset: [UInt8]? = nil, interface: CardInterface = .contact) {
        self.answerToReset = answerToReset
        self.interface = interface
    }
}

extension CardImage: CustomStringConvertible, CustomReflectable {
    public var description: String {
        let records = applications.reduce(0) { $0 + $1.records.count }
        return
            "\(applications.count) application\(applications.count == 1 ? "" : "s"), \(records) record\(records == 1 ? "" : "s")"
    }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
