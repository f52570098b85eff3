public import Bytes

/// Track 3 of a driver's license: vehicle classes and description of the holder (AAMVA DL/ID Card
/// Design Standard, annex on the magnetic stripe).
///
/// Fields have fixed lengths and are padded with blanks, which are removed here. It is never
/// printed.
public struct LicenseTrack3: Sendable {
    /// One character each: the version of the standard, and that of the jurisdiction.
    public let version: String
    public let jurisdictionVersion: String
    public let postalCode: String
    public let vehicleClass: String
    public let restrictions: String
    public let endorsements: String
    public let sex: Sex?
    /// Three characters as written: feet and inches in the United States (510 is 5 ft 10 in),
    /// centimetres in Canada.
    public let height: String
    /// Pounds in the United States, kilograms in Canada.
    public let weight: String
    /// Three letters, such as BRO or BLK.
    public let hairColor: String
    public let eyeColor: String
    /// Data defined by the jurisdiction.
    public let discretionaryData: SecretBytes

    public enum Sex: Sendable, Equatable {
        case male
        case female
    }

    public init(_ text: TrackText) throws(TrackFormatError) {
        guard text.code == .alphanumeric else { throw .code }
        var fields = TrackFields(text)
        defer { fields.wipe() }
        // The fields up to the color of the eyes.
        guard fields.count >= 42 else { throw .tooShort }
        version = fields.text(fields.take(1))
        jurisdictionVersion = fields.text(fields.take(1))
        postalCode = fields.text(fields.take(11))
        vehicleClass = fields.text(fields.take(2))
        restrictions = fields.text(fields.take(10))
        endorsements = fields.text(fields.take(4))
        switch fields[fields.take(1)].first {
        case UInt8(ascii: "1"), UInt8(ascii: "M"): sex = .male
        case UInt8(ascii: "2"), UInt8(ascii: "F"): sex = .female
        default: sex = nil
        }
        height = fields.text(fields.take(3))
        weight = fields.text(fields.take(3))
        hairColor = fields.text(fields.take(3))
        eyeColor = fields.text(fields.take(3))
        discretionaryData = fields.secret(fields.takeRest())
    }
}

extension LicenseTrack3: CustomStringConvertible, CustomReflectable {
    public var description: String { "track 3 of a driver's license" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
