/// Track 1 of a driver's license: address and name of the holder (AAMVA DL/ID Card Design Standard,
/// annex on the magnetic stripe).
///
/// It is never printed.
public struct LicenseTrack1: Sendable {
    /// Two letters: the state, province or territory.
    public let jurisdiction: String
    public let city: String
    public let surname: String
    /// In order, then a suffix if there is one.
    public let givenNames: [String]
    /// The lines of the address.
    public let address: [String]

    /// Fields shorter than their maximum length end with a separator: city 13, name 35, address the
    /// rest.
    public init(_ text: TrackText) throws(TrackFormatError) {
        guard text.code == .alphanumeric else { throw .code }
        var fields = TrackFields(text)
        defer { fields.wipe() }
        let letters = fields.take(2)
        guard letters.count == 2, fields[letters].allSatisfy({ (0x41...0x5A).contains($0) }) else {
            throw .jurisdiction
        }
        jurisdiction = fields.text(letters)
        city = fields.text(fields.take(upTo: 13))
        guard !fields.isAtEnd else { throw .tooShort }
        let names = Self.parts(fields[fields.take(upTo: 35)])
        surname = names.first ?? ""
        guard !surname.isEmpty else { throw .name }
        givenNames = names.dropFirst().filter { !$0.isEmpty }
        address = Self.parts(fields[fields.takeToSeparator()]).filter { !$0.isEmpty }
    }

    /// The parts of a name or an address, separated by dollar signs.
    private static func parts(_ field: ArraySlice<UInt8>) -> [String] {
        field.split(separator: UInt8(ascii: "$"), omittingEmptySubsequences: false).map { trimmedText($0) }
    }
}

extension LicenseTrack1: CustomStringConvertible, CustomReflectable {
    public var description: String { "track 1 of a driver's license of \(jurisdiction)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The issuer identification numbers of the motor vehicle administrations of North America (AAMVA):
/// 636000 to 636062 and 604425 to 604434.
///
/// Other numbers with 636 and 604 belong to payment cards and other issuers.
enum LicenseIssuer {
    static func isOne(_ digits: some Collection<UInt8>) -> Bool {
        guard digits.count == 6, let number = Int(String(decoding: digits, as: UTF8.self)) else { return false }
        return (636_000...636_062).contains(number) || (604_425...604_434).contains(number)
    }
}
