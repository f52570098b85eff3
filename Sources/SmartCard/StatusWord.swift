private import Bytes

/// SW1 SW2: how a command ended (ISO/IEC 7816-4, 5.1.3; EMV 4.4 Book 3, 6.3.5).
public struct StatusWord: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt16
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    public var sw1: UInt8 { UInt8(truncatingIfNeeded: rawValue >> 8) }
    public var sw2: UInt8 { UInt8(rawValue & 0xFF) }

    public static let success = StatusWord(rawValue: 0x9000)
    public static let selectedFileInvalidated = StatusWord(rawValue: 0x6283)
    public static let wrongLength = StatusWord(rawValue: 0x6700)
    public static let authenticationFailed = StatusWord(rawValue: 0x6300)
    public static let authenticationMethodBlocked = StatusWord(rawValue: 0x6983)
    public static let referencedDataInvalidated = StatusWord(rawValue: 0x6984)
    public static let securityStatusNotSatisfied = StatusWord(rawValue: 0x6982)
    public static let conditionsNotSatisfied = StatusWord(rawValue: 0x6985)
    public static let secureMessagingDataMissing = StatusWord(rawValue: 0x6987)
    public static let secureMessagingDataIncorrect = StatusWord(rawValue: 0x6988)
    public static let wrongData = StatusWord(rawValue: 0x6A80)
    public static let functionNotSupported = StatusWord(rawValue: 0x6A81)
    public static let fileNotFound = StatusWord(rawValue: 0x6A82)
    public static let recordNotFound = StatusWord(rawValue: 0x6A83)
    public static let incorrectP1P2 = StatusWord(rawValue: 0x6A86)
    public static let referencedDataNotFound = StatusWord(rawValue: 0x6A88)
    public static let instructionNotSupported = StatusWord(rawValue: 0x6D00)
    public static let classNotSupported = StatusWord(rawValue: 0x6E00)

    /// `63Cx`: the counter that the card reports, x from 0 to 15.
    public static func counter(_ value: UInt8) -> StatusWord { StatusWord(rawValue: 0x63C0 | UInt16(value & 0x0F)) }

    public var counter: UInt8? { rawValue & 0xFFF0 == 0x63C0 ? UInt8(rawValue & 0x0F) : nil }

    /// `62xx` and `63xx`: the command was carried out, with a warning.
    public var isWarning: Bool { sw1 == 0x62 || sw1 == 0x63 }

    /// The standard's words for the status.
    public var words: String {
        if let counter { return "verification failed, \(counter) tries left" }
        switch rawValue {
        case 0x9000: return "normal processing"
        case 0x6283: return "selected file invalidated"
        case 0x6300: return "authentication failed"
        case 0x6700: return "wrong length"
        case 0x6982: return "security status not satisfied"
        case 0x6983: return "authentication method blocked"
        case 0x6984: return "referenced data invalidated"
        case 0x6985: return "conditions of use not satisfied"
        case 0x6987: return "expected secure messaging data objects missing"
        case 0x6988: return "secure messaging data objects incorrect"
        case 0x6A80: return "wrong data"
        case 0x6A81: return "function not supported"
        case 0x6A82: return "file not found"
        case 0x6A83: return "record not found"
        case 0x6A86: return "incorrect parameters P1-P2"
        case 0x6A88: return "referenced data not found"
        case 0x6D00: return "instruction not supported"
        case 0x6E00: return "class not supported"
        default:
            switch sw1 {
            case 0x61: return "\(sw2) more bytes available"
            case 0x6C: return "wrong length, \(sw2) bytes available"
            case 0x62: return "warning, state unchanged"
            case 0x63: return "warning, state changed"
            case 0x64: return "execution error, state unchanged"
            case 0x65: return "execution error, state changed"
            default: return "not a status EMV knows"
            }
        }
    }
}

extension StatusWord: CustomStringConvertible, ExpressibleByIntegerLiteral {
    public init(integerLiteral value: UInt16) { self.init(rawValue: value) }
    public var description: String { rawValue.hex }
}
