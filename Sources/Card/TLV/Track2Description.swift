private import Bytes

/// The fields of track 2 equivalent data, tag `57`, and of its contactless equivalent, tag `9F6B`:
/// PAN, separator D, expiration date YYMM, service code, discretionary data, F if the number of
/// digits is odd (EMV 4.4 Book 3, annex A1; EMV Contactless Book C-2, A.1).
enum Track2Description {
    /// If the coding is invalid, the lines say where.
    static func lines(_ value: [UInt8]) -> [String] {
        var digits = Array(value.hex.utf8)
        if digits.last == UInt8(ascii: "F") { digits.removeLast() }
        guard let separator = digits.firstIndex(of: UInt8(ascii: "D")) else {
            return [ValueFault.track2Separator.rawValue]
        }
        let (pan, rest) = (digits[..<separator], digits[(separator + 1)...])
        guard pan.count <= 19, !pan.isEmpty, (pan + rest).allSatisfy({ (0x30...0x39).contains($0) }) else {
            return [ValueFault.track2Digits.rawValue]
        }
        guard rest.count >= 7 else { return [ValueFault.track2Rest.rawValue] }
        let (date, code, discretionary) = (rest.prefix(4), text(rest.dropFirst(4).prefix(3)), rest.dropFirst(7))
        let month = text(date.suffix(2))
        let isMonth = ("01"..."12").contains(month)
        return [
            "PAN \(text(pan))",
            "expires \(text(date.prefix(2)))/\(month) (YY/MM)" + (isMonth ? "" : ", an impossible month"),
            "service code \(code)" + serviceCode(code),
        ] + (discretionary.isEmpty ? [] : ["discretionary data \(text(discretionary))"])
    }

    private static func serviceCode(_ digits: String) -> String {
        guard let value = try? [UInt8](hex: "0" + digits) else { return "" }
        let words = TransactionCodes.serviceCode(value)
        return words.isEmpty ? "" : ": " + words.joined(separator: "; ")
    }

    private static func text(_ digits: ArraySlice<UInt8>) -> String { String(decoding: digits, as: UTF8.self) }
}
