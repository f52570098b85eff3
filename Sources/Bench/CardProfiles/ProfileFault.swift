import JSONDocument
package import TLV
package import VirtualCard

/// Why a value of a card profile or a test plan is refused.
package enum ProfileFault: DocumentError.Reason {
    // MARK: The account
    case notASCII
    case trackTooLong
    case notATestCard
    case checkDigit
    /// The text that stands there.
    case date(String)

    // MARK: The card's data
    case codeTable
    case characterNotInTable(CodeTable)
    /// The text that stands there.
    case language(String)
    case languageCount(Int)
    case listTruncated
    /// In bytes.
    case listTooLong(Int)
    /// The text that stands there.
    case tag(String)
    case cvmList
    case cvmResults
    case limits(lower: UInt8, upper: UInt8)
    case keyBits(Int)
    case exponent(Int)
    case masterKey
    case personalization(PersonalizationError)
    case transitWithoutLock

    // MARK: Faults of the card
    case parameter(String, of: String)
    case occasion(of: String)
    case besideStep
    case occurrenceWithoutCommand

    // MARK: Test plans
    case caseCount(Int)
    case caseNameTwice(String)
    case tapInReader
    case notContactless
    case dataAuthenticationOfTap
    case noCard
    /// The error of whoever reads the file.
    case cardFile(String)
}

extension ProfileFault {
    package var description: String {
        switch self {
        case .notASCII: "printable ASCII characters"
        case .trackTooLong: "track 2 has room for 37 digits: shorten track2DiscretionaryData"
        case .notATestCard:
            "not a published test card number, as virtual cards require; docs/card-profile.md lists some"
        case .checkDigit: "its check digit is wrong"
        case .date(let found): "a date from 1950-01-01 to 2049-12-31, got '\(found)'"
        case .codeTable: "a part of ISO/IEC 8859, 1 to 10"
        case .characterNotInTable(let table):
            "it has a character that is not in ISO/IEC 8859-\(table.rawValue): choose another codeTable"
        case .language(let found): "two lower-case letters of ISO 639-1, got '\(found)'"
        case .languageCount(let count): "at most 4 languages, got \(count)"
        case .listTruncated: "a data object list, tags and lengths in hexadecimal, ends within an entry"
        case .listTooLong(let length): "it asks for \(length) bytes, more than the 252 of a command"
        case .tag(let found): "a tag in hexadecimal, such as 9F02, got '\(found)'"
        case .cvmList: "8 bytes and then pairs of bytes"
        case .cvmResults: "CVM results end with 00, 01 or 02"
        case .limits(let lower, let upper): "at least lowerConsecutiveOffline, \(lower), got \(upper)"
        case .keyBits(let bits): "whole bytes: a multiple of 8, got \(bits)"
        case .exponent(let exponent): "3 or 65537, got \(exponent)"
        case .masterKey: "not a key for the cryptogram's cipher"
        case .personalization(let error): error.description
        case .transitWithoutLock: "only a device that is locked has it"
        case .parameter(let parameter, let fault): "'\(fault)' has no \(parameter)"
        case .occasion(let fault): "'\(fault)' has no occasion"
        case .besideStep: "not allowed with step, which already is the number of a command"
        case .occurrenceWithoutCommand: "needs a command: give one under command"
        case .caseCount(let count): "1 to \(TestPlan.maximumCases) cases, got \(count)"
        case .caseNameTwice(let name): "another case is called \(name)"
        case .tapInReader: "a tap has a virtual card"
        case .notContactless: "a tap needs a card whose profile has \"contactless\""
        case .dataAuthenticationOfTap: "a tap has no dataAuthentication: its TVR and its verdict show how it went"
        case .noCard: "no card: give one here or for the whole plan, or \"inReader\""
        case .cardFile(let error): error
        }
    }
}
