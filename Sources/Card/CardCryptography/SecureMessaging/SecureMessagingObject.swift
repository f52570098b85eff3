/// The data objects of format 1 (EMV 4.4 Book 2, 9.2.1.1 and 9.3.1.1): command data, then the MAC.
enum SecureMessagingObject {
    private static let plain: UInt8 = 0x81
    private static let cryptogram: UInt8 = 0x87
    private static let mac: UInt8 = 0x8E
    /// The data are padded according to ISO/IEC 7816-4.
    private static let paddingIndicator: UInt8 = 0x01

    struct Parsed {
        /// The complete object that the MAC covers; empty for a command without data.
        var protected: [UInt8] = []
        /// Its value, without the padding indicator.
        var data: [UInt8] = []
        var isEnciphered = false
        /// 4 to 8 bytes.
        var mac: [UInt8] = []
    }

    /// The object for the command's data, 81 or 87; empty for a command without data.
    static func data(_ value: [UInt8], isEnciphered: Bool) -> [UInt8] {
        guard !value.isEmpty else { return [] }
        return isEnciphered ? encode(cryptogram, [paddingIndicator] + value) : encode(plain, value)
    }

    /// 8E
    static func mac(_ value: [UInt8]) -> [UInt8] { encode(mac, value) }

    private static func encode(_ tag: UInt8, _ value: [UInt8]) -> [UInt8] {
        [tag] + (value.count < 0x80 ? [] : [0x81]) + [UInt8(truncatingIfNeeded: value.count)] + value
    }

    /// - Parameter field: up to 255 bytes.
    static func parse(_ field: [UInt8]) throws(SecureMessagingError) -> Parsed {
        var parsed = Parsed()
        var rest = field[...]
        while let tag = rest.first {
            let start = rest.startIndex
            guard let value = takeValue(&rest) else { throw .incorrect }
            switch tag {
            case plain where parsed.protected.isEmpty: parsed.data = value
            case cryptogram where parsed.protected.isEmpty && value.first == paddingIndicator:
                parsed.data = Array(value.dropFirst())
                parsed.isEnciphered = true
            case mac where rest.isEmpty && (4...8).contains(value.count):
                parsed.mac = value
                return parsed
            default: throw .incorrect
            }
            parsed.protected = Array(field[start..<rest.startIndex])
        }
        throw .missing
    }

    /// Removes the first object of `rest` and returns its value; nil if it is longer than `rest`.
    private static func takeValue(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
        var content = rest.dropFirst()
        guard var length = content.popFirst() else { return nil }
        if length == 0x81 {
            guard let long = content.popFirst() else { return nil }
            length = long
        } else if length >= 0x80 {
            return nil
        }
        guard content.count >= Int(length) else { return nil }
        rest = content.dropFirst(Int(length))
        return Array(content.prefix(Int(length)))
    }
}
