/// What kind of code was scanned, as scanners say it before the data: `]`, a letter and a modifier
/// (ISO/IEC 15424; AIM symbology identifiers).
public struct AIMIdentifier: Sendable, Hashable {
    /// The kinds that shops meet.
    public enum Symbology: UInt8, Sendable, CaseIterable {
        case code39 = 0x41
        case code128 = 0x43
        case ean = 0x45
        case codabar = 0x46
        case code93 = 0x47
        case code11 = 0x48
        case interleaved2of5 = 0x49
        case pdf417 = 0x4C
        case msi = 0x4D
        case qr = 0x51
        case standard2of5 = 0x53
        case maxiCode = 0x55
        case isbn = 0x58
        case dataMatrix = 0x64
        case dataBar = 0x65
        case hanXin = 0x68
        case aztec = 0x7A
    }

    /// The letter, a printed character of ASCII.
    public let letter: UInt8
    /// A digit, or a letter after 9.
    public let modifier: UInt8

    /// Nil for letters of other kinds.
    public var symbology: Symbology? { Symbology(rawValue: letter) }

    /// Whether the data are fields of GS1: Code 128 with FNC1 first, DataBar, GS1 Data Matrix, GS1
    /// QR.
    public var isGS1: Bool {
        switch symbology {
        case .code128: modifier == 0x31
        case .dataMatrix: modifier == 0x32
        case .qr: modifier == 0x33
        case .dataBar: true
        default: false
        }
    }

    /// The identifier that the bytes begin with, nil if they do not.
    public init?(_ bytes: some Collection<UInt8>) {
        let head = Array(bytes.prefix(3))
        guard head.count == 3, head[0] == 0x5D, Self.isLetter(head[1]), Self.isLetter(head[2]) || Self.isDigit(head[2])
        else { return nil }
        letter = head[1]
        modifier = head[2]
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) }
    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}

extension AIMIdentifier: CustomStringConvertible {
    /// `]E0`.
    public var description: String { String(decoding: [0x5D, letter, modifier], as: UTF8.self) }
}
