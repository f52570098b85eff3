/// TTQ, tag `9F66`: what a contactless reader can do and wants from the card (EMV Contactless Book A, 5.7, table 5-4).
public struct TerminalTransactionQualifiers: BitField {
    public static let byteCount = 4
    public let rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    public static let meanings: [(Self, String)] = [
        (Self(byte: 1, bit: 8), "Mag-stripe mode supported"),
        (Self(byte: 1, bit: 6), "EMV mode supported"),
        (Self(byte: 1, bit: 5), "EMV contact chip supported"),
        (Self(byte: 1, bit: 4), "Offline-only reader"),
        (Self(byte: 1, bit: 3), "Online PIN supported"),
        (Self(byte: 1, bit: 2), "Signature supported"),
        (Self(byte: 1, bit: 1), "Offline data authentication for online authorisations supported"),
        (Self(byte: 2, bit: 8), "Online cryptogram required"),
        (Self(byte: 2, bit: 7), "CVM required"),
        (Self(byte: 2, bit: 6), "Offline PIN supported on the contact chip"),
        (Self(byte: 3, bit: 8), "Issuer update processing supported"),
        (Self(byte: 3, bit: 7), "Consumer device CVM supported"),
        // Of newer kernels: EMV Contactless Book C-6 2.6, annex D.11, and Book C-7 2.9, table 3-1.
        (Self(byte: 3, bit: 4), "Consumer device CVM required"),
        (Self(byte: 4, bit: 8), "fDDA version 01 supported"),
    ]
}
