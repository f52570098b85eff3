private import Bytes
public import TLV

/// A finding about a card: what, where, how severe, and its source in the books.
public struct CardFinding: Sendable, Equatable {
    public enum Severity: Int, Sendable, Comparable, CaseIterable {
        /// Allowed, but rarely intended by an issuer.
        case remark
        /// Violates the books, or will soon be a problem; terminals continue.
        case warning
        /// Terminals end the transaction, skip the application, or data authentication fails.
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

    /// The place on the card.
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
    /// A sentence without a final period. It contains no card data except lengths, dates and bits.
    public let summary: String
    /// The source in the books: "EMV 4.4 Book 3, 7.2".
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
    /// The kind of finding, for programs: the names are stable.
    public enum Kind: String, Sendable, CaseIterable {
        // Selection
        case answerToReset, noApplication, applicationBlocked, applicationNotSelectable
        case environmentMalformed, directoryMalformed, directoryContradictsApplication
        case fciMalformed, fciObjectMissing, nameContradicts, nameCharacters, codeTable, languages, priority
        // Initiation and reading
        case optionsRefused, optionsMalformed, profileBits, locator, recordUnreadable, recordTemplate, recordLength,
            trailingBytes
        // Data objects
        case mandatoryObjectMissing, conditionalObjectMissing, duplicateObject, unknownObject, misplacedObject,
            emptyObject
        case objectLength, objectFormat
        // Their content
        case dateMalformed, expired, notYetEffective, dateOrder, expiresSoon
        case checkDigit, track2Malformed, track2Contradicts
        case verificationListMalformed, verificationListUnusable, verificationRuleUnreachable, verificationRuleReserved
        case verificationRuleWithoutData, verificationListNotUsed
        case actionCodeBits, actionCodeMissing, actionCodeUnreachable
        case listMalformed, listLacks, listEntry
        case counters
        // Data authentication
        case noDataAuthentication, authenticationDataMissing, unknownAuthority, certificate, certificateExpiresSoon,
            signature
        // The kernel's result
        case transaction
    }
}
