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
