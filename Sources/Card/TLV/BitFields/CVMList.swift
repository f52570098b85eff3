private import Bytes

/// The method of cardholder verification: the CVM code in bits 6–1 of the first byte of a
/// cardholder verification rule (EMV 4.4 Book 3, annex C3, table 43).
public struct CVMCode: RawRepresentable, Hashable, Sendable {
    /// 0 to 63.
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue & 0x3F }

    public static let fail = CVMCode(rawValue: 0x00)
    public static let plaintextPIN = CVMCode(rawValue: 0x01)
    public static let onlinePIN = CVMCode(rawValue: 0x02)
    public static let plaintextPINAndSignature = CVMCode(rawValue: 0x03)
    public static let encipheredPIN = CVMCode(rawValue: 0x04)
    public static let encipheredPINAndSignature = CVMCode(rawValue: 0x05)
    public static let signature = CVMCode(rawValue: 0x1E)
    public static let noCVM = CVMCode(rawValue: 0x1F)
    /// In CVM results only: no CVM was performed (EMV 4.4 Book 4, annex A4).
    public static let notPerformed = CVMCode(rawValue: 0x3F)

    public var summary: String {
        switch self {
        case .fail: "Fail CVM processing"
        case .plaintextPIN: "Plaintext PIN verification performed by ICC"
        case .onlinePIN: "Enciphered PIN verified online"
        case .plaintextPINAndSignature: "Plaintext PIN verification performed by ICC and signature"
        case .encipheredPIN: "Enciphered PIN verification performed by ICC"
        case .encipheredPINAndSignature: "Enciphered PIN verification performed by ICC and signature"
        case .signature: "Signature"
        case .noCVM: "No CVM required"
        case .notPerformed: "No CVM performed"
        default:
            switch rawValue {
            case 0x06...0x0F:
                "\(Self.biometrics[Int(rawValue - 6) / 2]) biometric verified \(rawValue & 1 == 0 ? "offline" : "online")"
            case 0x10...0x1D: "Reserved for use by this specification"
            case 0x20...0x2F: "Reserved for use by individual payment systems"
            default: "Reserved for use by the issuer"
            }
        }
    }
}

extension CVMCode {
    private static let biometrics = ["Facial", "Finger", "Palm", "Iris", "Voice"]

    /// The method in the words of a receipt, without saying how it ended; nil for one whose name
    /// says that itself.
    fileprivate var onReceipt: (verified: String, method: String)? {
        switch self {
        case .plaintextPIN, .encipheredPIN: ("PIN verified by card", "PIN by card")
        case .plaintextPINAndSignature, .encipheredPINAndSignature:
            ("PIN verified by card and signature", "PIN by card and signature")
        case .onlinePIN: ("PIN verified online", "PIN online")
        default:
            switch rawValue {
            case 0x06...0x0F:
                (summary.replacing(" biometric", with: ""), summary.replacing(" biometric verified", with: ""))
            default: nil
            }
        }
    }
}

/// When a cardholder verification rule applies: its second byte (EMV 4.4 Book 3, annex C3, table
/// 44).
public struct CVMCondition: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let always = CVMCondition(rawValue: 0x00)
    public static let unattendedCash = CVMCondition(rawValue: 0x01)
    public static let neitherCashNorCashback = CVMCondition(rawValue: 0x02)
    public static let terminalSupportsCVM = CVMCondition(rawValue: 0x03)
    public static let manualCash = CVMCondition(rawValue: 0x04)
    public static let purchaseWithCashback = CVMCondition(rawValue: 0x05)
    public static let underX = CVMCondition(rawValue: 0x06)
    public static let overX = CVMCondition(rawValue: 0x07)
    public static let underY = CVMCondition(rawValue: 0x08)
    public static let overY = CVMCondition(rawValue: 0x09)

    public var summary: String {
        switch self {
        case .always: "always"
        case .unattendedCash: "if unattended cash"
        case .neitherCashNorCashback: "if not unattended cash and not manual cash and not purchase with cashback"
        case .terminalSupportsCVM: "if terminal supports the CVM"
        case .manualCash: "if manual cash"
        case .purchaseWithCashback: "if purchase with cashback"
        case .underX: "if transaction is in the application currency and is under X value"
        case .overX: "if transaction is in the application currency and is over X value"
        case .underY: "if transaction is in the application currency and is under Y value"
        case .overY: "if transaction is in the application currency and is over Y value"
        default: rawValue < 0x80 ? "on a condition reserved for EMV" : "on a condition reserved for payment systems"
        }
    }
}

/// One cardholder verification rule (EMV 4.4 Book 3, 10.5 and annex C3).
public struct CVMRule: Hashable, Sendable {
    public let code: CVMCode
    /// Bit 7 of the first byte: if this CVM is unsuccessful the next rule is applied; if not,
    /// verification fails.
    public let continuesIfUnsuccessful: Bool
    public let condition: CVMCondition

    public init(code: CVMCode, continuesIfUnsuccessful: Bool, condition: CVMCondition) {
        self.code = code
        self.continuesIfUnsuccessful = continuesIfUnsuccessful
        self.condition = condition
    }

    public init(_ first: UInt8, _ second: UInt8) {
        self.init(
            code: CVMCode(rawValue: first), continuesIfUnsuccessful: first & 0x40 != 0,
            condition: CVMCondition(rawValue: second))
    }

    public var bytes: [UInt8] { [code.rawValue | (continuesIfUnsuccessful ? 0x40 : 0), condition.rawValue] }

    public var summary: String {
        "\(code == .notPerformed ? "CVM code 3F, not available for use" : code.summary), \(condition.summary), \(continuesIfUnsuccessful ? "else next rule" : "else fail")"
    }
}

/// CVM list, tag `8E`: amounts X and Y and the rules, first applicable first (EMV 4.4 Book 3,
/// 10.5).
public struct CVMList: Equatable, Sendable {
    /// Amounts in the application currency, in its minor unit with the exponent implied.
    public let x: UInt32, y: UInt32
    public let rules: [CVMRule]

    public init(x: UInt32 = 0, y: UInt32 = 0, rules: [CVMRule]) {
        self.x = x
        self.y = y
        self.rules = rules
    }

    /// The list in `bytes`, or nil if they are not eight bytes followed by pairs.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count >= 8, bytes.count % 2 == 0 else { return nil }
        x = bytes[0..<4].reduce(0) { $0 << 8 | UInt32($1) }
        y = bytes[4..<8].reduce(0) { $0 << 8 | UInt32($1) }
        rules = stride(from: 8, to: bytes.count, by: 2).map { CVMRule(bytes[$0], bytes[$0 + 1]) }
    }

    public var bytes: [UInt8] {
        [x, y].flatMap { amount in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: amount >> $0) } }
            + rules.flatMap(\.bytes)
    }
}

/// CVM results, tag `9F34`: the last CVM performed, its condition, and how it ended (EMV 4.4 Book
/// 4, annex A4).
public struct CVMResults: Hashable, Sendable {
    public enum Result: UInt8, Sendable {
        /// Unknown to the terminal: signature, and online PIN.
        case unknown = 0
        case failed = 1
        case successful = 2

        public var summary: String {
            switch self {
            case .unknown: "result unknown"
            case .failed: "failed"
            case .successful: "successful"
            }
        }
    }

    /// The first byte as in the rule, bit 7 included.
    public let method: UInt8
    public let condition: CVMCondition
    public let result: Result

    public init(rule: CVMRule, result: Result) {
        method = rule.bytes[0]
        condition = rule.condition
        self.result = result
    }

    private init(method: UInt8, condition: CVMCondition, result: Result) {
        self.method = method
        self.condition = condition
        self.result = result
    }

    public init?(_ bytes: [UInt8]) {
        guard bytes.count == 3, let result = Result(rawValue: bytes[2]) else { return nil }
        self.init(method: bytes[0], condition: CVMCondition(rawValue: bytes[1]), result: result)
    }

    /// `3F0000`: verification was not performed at all (the card does not support it).
    public static let notPerformed = CVMResults(method: 0x3F, condition: .always, result: .unknown)
    /// `3F0001`: no rule of the list applied.
    public static let noneApplied = CVMResults(method: 0x3F, condition: .always, result: .failed)

    public var code: CVMCode { CVMCode(rawValue: method) }
    public var bytes: [UInt8] { [method, condition.rawValue, result.rawValue] }
    /// Whether the cardholder still has to sign: the last CVM performed is a signature, alone or
    /// with a PIN, and did not fail.
    public var requiresSignature: Bool {
        result != .failed && [.signature, .plaintextPINAndSignature, .encipheredPINAndSignature].contains(code)
    }

    /// The bytes as a number.
    package var number: UInt64 { UInt64(method) << 16 | UInt64(condition.rawValue) << 8 | UInt64(result.rawValue) }
    /// How the verification ended, in at most 34 characters for a row of a receipt. A method that
    /// failed, or an offline PIN that the card has not accepted, is not called verified.
    public var outcome: String {
        switch (code, code.onReceipt) {
        case (.fail, _): "Cardholder verification failed"
        case (.notPerformed, _), (.noCVM, _): code.summary
        case (_, let words?):
            result == .successful || isForOthers ? words.verified : "\(words.method): \(result.summary)"
        case (.signature, nil): result == .failed ? "Signature: failed" : "Signature"
        case (_, nil): "CVM code \([code.rawValue].hex): \(result.summary)"
        }
    }

    /// Whether the result is unknown because the issuer checks the PIN, or a person the signature.
    private var isForOthers: Bool {
        result == .unknown && [.onlinePIN, .plaintextPINAndSignature, .encipheredPINAndSignature].contains(code)
    }

    public var summary: String {
        code == .notPerformed ? code.summary : "\(code.summary), \(condition.summary): \(result.summary)"
    }
}
