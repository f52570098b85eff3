public import Bytes

/// Track 2 of a magnetic stripe, or its equivalent on a chip (tag `57`): PAN, expiry, service code,
/// discretionary data (ISO/IEC 7813; EMV 4.4 Book 3, annex A1).
///
/// Its description shows no data; see ``pan`` and the other properties.
public struct Track2: Sendable {
    /// ASCII digits, 8 to 19 of them.
    public let pan: SecretBytes
    /// YYMM as four ASCII digits; nil if it is absent.
    public let expiry: String?
    /// Nil if it is absent.
    public let serviceCode: ServiceCode?
    /// ASCII digits; contains the card verification value, so it must never be stored.
    public let discretionaryData: SecretBytes

    public init(_ text: TrackText) throws(TrackFormatError) {
        guard text.code == .numeric else { throw .code }
        var fields = TrackFields(text)
        defer { fields.wipe() }
        try self.init(&fields)
    }

    /// From the packed form of tag `57`, two characters in a byte: separator `D`, padded with one
    /// `F`.
    public init(equivalentData bytes: Span<UInt8>) throws(TrackFormatError) {
        var characters: [UInt8] = []
        characters.reserveCapacity(bytes.count * 2)
        for index in bytes.indices {
            characters.append(0x30 + bytes[index] >> 4)
            characters.append(0x30 + bytes[index] & 0x0F)
        }
        if characters.last == 0x3F { characters.removeLast() }
        var fields = TrackFields(wiping: &characters, separator: CharacterCode.numeric.fieldSeparator)
        defer { fields.wipe() }
        try self.init(&fields)
    }

    private init(_ fields: inout TrackFields) throws(TrackFormatError) {
        let digits = fields.takeToSeparator()
        guard panLength.contains(digits.count), fields.areDigits(digits), fields.isSeparated else { throw .pan }
        pan = fields.secret(digits)
        expiry = try fields.takeDigits(4, else: .expiry)
        serviceCode = try fields.takeDigits(3, else: .serviceCode).flatMap { ServiceCode($0) }
        let rest = fields.takeRest()
        guard fields.areDigits(rest) else { throw .discretionaryData }
        discretionaryData = fields.secret(rest)
    }
}

extension Track2: CustomStringConvertible, CustomReflectable {
    public var description: String { "track 2, \(pan.count) digit PAN" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
