private import Bytes
public import TLV

/// Something odd about a card: what, where, how grave, and where the books speak of it.
public struct CardFinding: Sendable, Equatable {
    public enum Severity: Int, Sendable, Comparable, CaseIterable {
        /// Allowed, and seldom what an issuer wants.
        case remark
        /// Against the books, or soon to be amiss; terminals go on.
        case warning
        /// Terminals end the transaction, pass the application over, or find data authentication failed.
        case error

        public static func < (left: Severity, right: Severity) -> Bool { left.rawValue < right.rawValue }

        public var name: String {
            switch self {
            case .remark: "remark"
            case .warning: "warning"
            case .error: "error"
            }
        }
    }

    /// Where on the card.
    public struct Place: Sendable, Equatable {
        /// The DF name; nil for the card as a whole and its directory.
        public var application: [UInt8]?
        public var record: RecordNumber?
        public var tag: Tag?

        public init(application: [UInt8]? = nil, record: RecordNumber? = nil, tag: Tag? = nil) {
            self.application = application
            self.record = record
            self.tag = tag
        }
    }

    public let kind: Kind
    public let severity: Severity
    public let place: Place
    /// A sentence without its end. It holds no card data but lengths, dates and bits.
    public let summary: String
    /// Where the books speak of it: "EMV 4.4 Book 3, 7.2".
    public let source: String

    public init(_ kind: Kind, severity: Severity, place: Place, summary: String, source: String) {
        self.kind = kind
        self.severity = severity
        self.place = place
        self.summary = summary
        self.source = source
    }
}

/// A record by its file and its number, both from 1.
public struct RecordNumber: Sendable, Hashable, CustomStringConvertible {
    public let sfi: UInt8
    public let number: UInt8

    public init(sfi: UInt8, number: UInt8) {
        self.sfi = sfi
        self.number = number
    }

    public var description: String { "record \(number) of file \(sfi)" }
}

extension CardFinding.Place: CustomStringConvertible {
    public var description: String {
        let parts = [
            application.map { "application \($0.hex)" }, record.map(String.init(describing:)),
            tag.map { "\($0)" + (TagDictionary[$0].map { " (\($0.name))" } ?? "") },
        ].compactMap(\.self)
        return parts.isEmpty ? "card" : parts.joined(separator: ", ")
    }
}

extension CardFinding {
    /// What is odd, for programs: the names stay the same.
    public enum Kind: String, Sendable, CaseIterable {
        // Selection
        case answerToReset, noApplication, applicationBlocked, applicationNotSelectable
        case environmentMalformed, directoryMalformed, directoryContradictsApplication
        case fciMalformed, fciObjectMissing, nameContradicts, nameCharacters, codeTable, languages, priority
        // Initiation and reading
        case optionsRefused, optionsMalformed, profileBits, locator, recordUnreadable, recordTemplate, recordLength, trailingBytes
        // Data objects
        case mandatoryObjectMissing, conditionalObjectMissing, duplicateObject, unknownObject, misplacedObject, emptyObject
        case objectLength, objectFormat
        // What they say
        case dateMalformed, expired, notYetEffective, dateOrder, expiresSoon
        case checkDigit, track2Malformed, track2Contradicts
        case verificationListMalformed, verificationListUnusable, verificationRuleUnreachable, verificationRuleReserved
        case verificationRuleWithoutData, verificationListNotUsed
        case actionCodeBits, actionCodeMissing, actionCodeUnreachable
        case listMalformed, listLacks, listEntry
        case counters
        // Data authentication
        case noDataAuthentication, authenticationDataMissing, unknownAuthority, certificate, certificateExpiresSoon, signature
        // The kernel's own verdict
        case transaction
    }
}
