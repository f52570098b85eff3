/// An IPv4 or IPv6 address.
public struct IPAddress: Sendable, Equatable {
    /// 4 or 16 bytes, in the order of the network.
    public let bytes: [UInt8]

    /// Nil unless there are 4 or 16 bytes.
    public init?(bytes: [UInt8]) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    /// Four decimal numbers without leading zeros, or the text of RFC 4291, 2.2, without a zone;
    /// nil for anything else.
    public init?(_ text: String) {
        guard text.utf8.count <= 45, let bytes = text.contains(":") ? Self.sixteen(text) : Self.four(text[...]) else {
            return nil
        }
        self.bytes = bytes
    }

    /// Whether any host of the Internet can have it: it is not in a block that the IANA registries
    /// of special-purpose addresses (RFC 6890) keep from being global, and no IPv6 address that
    /// leads to such an IPv4 one.
    public var isPublic: Bool {
        guard bytes.count == 16 else { return Self.isPublic(bytes) }
        if bytes.prefix(10).allSatisfy({ $0 == 0 }) {
            // Mapped (RFC 4291, 2.5.5.2); the compatible ones, :: and ::1 are not global.
            return bytes[10] == 0xFF && bytes[11] == 0xFF && Self.isPublic(Array(bytes[12...]))
        }
        // 64:ff9b::/96 (RFC 6052)
        if bytes.prefix(12).elementsEqual([0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]) {
            return Self.isPublic(Array(bytes[12...]))
        }
        // 6to4, which leads to an IPv4 address and is out of use (RFC 7526)
        if bytes[0] == 0x20, bytes[1] == 0x02 { return false }
        // 2001::/23 has Teredo and others; 2001:db8::/32 and 3fff::/20 are for documents.
        if bytes[0] == 0x20, bytes[1] == 0x01, bytes[2] < 2 || (bytes[2] == 0x0D && bytes[3] == 0xB8) { return false }
        if bytes[0] == 0x3F, bytes[1] == 0xFF, bytes[2] < 0x10 { return false }
        // Global unicast is 2000::/3 (RFC 4291, 2.4; IANA).
        return bytes[0] & 0xE0 == 0x20
    }

    private static func isPublic(_ four: [UInt8]) -> Bool {
        switch (four[0], four[1], four[2]) {
        case (0, _, _), (10, _, _), (127, _, _), (169, 254, _), (172, 16...31, _), (192, 168, _), (100, 64...127, _),
            (192, 0, 0), (192, 0, 2), (192, 88, 99), (198, 18...19, _), (198, 51, 100), (203, 0, 113), (224..., _, _):
            false
        default: true
        }
    }

    private static func four(_ text: Substring) -> [UInt8]? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { part in UInt8(part).flatMap { String($0) == part ? $0 : nil } }
        return parts.count == 4 && numbers.count == 4 ? numbers : nil
    }

    private static func sixteen(_ text: String) -> [UInt8]? {
        let halves = text.split(separator: "::", omittingEmptySubsequences: false)
        guard let first = groups(halves[0], mayEndInFour: halves.count == 1) else { return nil }
        guard halves.count == 2 else { return halves.count == 1 && first.count == 16 ? first : nil }
        guard let last = groups(halves[1], mayEndInFour: true), first.count + last.count <= 14 else { return nil }
        return first + [UInt8](repeating: 0, count: 16 - first.count - last.count) + last
    }

    private static func groups(_ text: Substring, mayEndInFour: Bool) -> [UInt8]? {
        guard !text.isEmpty else { return [] }
        var bytes: [UInt8] = []
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            if mayEndInFour, index == parts.count - 1, part.contains(".") {
                guard let four = four(part) else { return nil }
                bytes += four
            } else {
                guard (1...4).contains(part.utf8.count),
                    part.utf8.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
                    let group = UInt16(part, radix: 16)
                else { return nil }
                bytes += [UInt8(truncatingIfNeeded: group >> 8), UInt8(group & 0xFF)]
            }
        }
        return bytes
    }
}
