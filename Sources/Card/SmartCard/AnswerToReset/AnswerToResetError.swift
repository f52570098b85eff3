private import Bytes

/// Why bytes are not an answer to reset, or why EMV does not accept one.
public enum AnswerToResetError: Error, Hashable, Sendable {
    /// More than ``AnswerToReset/maximumLength`` bytes, or than EMV's 32.
    case tooLong(Int)
    /// It ends before the bytes that it announces.
    case truncated
    /// TS is neither `3B` nor `3F`.
    case initialCharacter(UInt8)
    case checkByte
    /// Bytes after its end.
    case excessBytes(Int)
    /// EMV does not accept the value of an interface byte; nil if the byte is missing.
    case interfaceByte(InterfaceByte, UInt8?)
    /// The card offers only these protocols, and the reader supports no protocol of them.
    case protocols([UInt8])

    /// The interface bytes to which EMV's rules apply.
    public enum InterfaceByte: String, Sendable {
        case ta1 = "TA1"
        case tb1 = "TB1"
        case td1 = "TD1"
        case ta2 = "TA2"
        case tb2 = "TB2"
        case tc2 = "TC2"
        case td2 = "TD2"
        case ta3 = "TA3"
        case tb3 = "TB3"
        case tc3 = "TC3"
    }
}

extension AnswerToResetError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .tooLong(let count): "the answer to reset has \(count) bytes, more than the maximum"
        case .truncated: "the answer to reset ends too early"
        case .initialCharacter(let byte): "the answer to reset begins with \(byte.hex), not with 3B or 3F"
        case .checkByte: "the check byte of the answer to reset is wrong"
        case .excessBytes(let count): "the answer to reset has \(count) bytes after its end"
        case .interfaceByte(let byte, let value?):
            "EMV does not take an answer to reset with \(byte.rawValue) \(value.hex)"
        case .protocols(let offered):
            "the card speaks \(offered.map { "T=\($0)" }.joined(separator: ", ")), which this reader does not: use another reader"
        case .interfaceByte(let byte, nil): "EMV does not take an answer to reset without \(byte.rawValue)"
        }
    }
}
