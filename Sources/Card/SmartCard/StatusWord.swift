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

    /// `62xx` and `63xx`: the command was executed, with a warning.
    public var isWarning: Bool { sw1 == 0x62 || sw1 == 0x63 }

    /// The standard's text for the status: from EMV, or from ISO for those that no payment command
    /// returns (ISO/IEC 7816-4:2020, tables 7 and 8).
    public var summary: String {
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
        default: return Self.isoWords[rawValue] ?? classWords
        }
    }

    private static let isoWords: [UInt16: String] = [
        0x6281: "part of the returned data may be corrupted",
        0x6282: "end of file or record before all bytes were read", 0x6284: "file control information not formatted",
        0x6285: "selected file in termination state", 0x6286: "no input data from a sensor on the card",
        0x6287: "a referenced record is deactivated", 0x6381: "file filled up by the last write",
        0x6401: "immediate response required by the card", 0x6581: "memory failure", 0x6600: "security-related issue",
        0x6800: "function in the class byte not supported", 0x6881: "logical channel not supported",
        0x6882: "secure messaging not supported", 0x6883: "last command of the chain expected",
        0x6884: "command chaining not supported", 0x6900: "command not allowed",
        0x6981: "command incompatible with the file structure",
        0x6986: "command not allowed: no current elementary file",
        0x6A00: "wrong parameters P1-P2, no further information", 0x6A84: "not enough memory space in the file",
        0x6A85: "length Lc inconsistent with the TLV structure", 0x6A87: "length Lc inconsistent with P1-P2",
        0x6A89: "file already exists", 0x6A8A: "DF name already exists", 0x6B00: "wrong parameters P1-P2",
        0x6F00: "no precise diagnosis",
    ]

    /// The meaning of the first byte alone.
    private var classWords: String {
        switch sw1 {
        case 0x61: return "\(sw2) more bytes available"
        case 0x6C: return "wrong length, \(sw2) bytes available"
        case 0x62: return "warning, state unchanged"
        case 0x63: return "warning, state changed"
        case 0x64: return "execution error, state unchanged"
        case 0x65: return "execution error, state changed"
        case 0x66: return "security-related issue"
        case 0x67: return "wrong length"
        case 0x68: return "function in the class byte not supported"
        case 0x69: return "command not allowed"
        case 0x6A: return "wrong parameters"
        case 0x6B: return "wrong parameters P1-P2"
        case 0x90...0x9F: return "the application's own status"
        default: return "not a status of ISO/IEC 7816-4"
        }
    }
}

extension StatusWord: CustomStringConvertible, ExpressibleByIntegerLiteral {
    public init(integerLiteral value: UInt16) { self.init(rawValue: value) }
    public var description: String { rawValue.hex }
}
