/// Paths and names of the REST interface, version 1.
public enum RESTInterface {
    /// Behind the gateway's base address.
    public static let root = "/api/v1"
    public static let authenticate = root + "/account/authenticate"
    public static let terminals = root + "/account/terminals"
    public static let payments = root + "/transaction/payments"
    public static let refunds = root + "/transaction/refunds"
    public static let transactions = root + "/transaction/transactions"
    public static let credentials = root + "/customer/credentials"
    /// Of the bench host only: orders by the merchant's own id.
    public static let orders = root + "/transaction/orders"
    /// The member in which messages have what the published interface has no place for.
    public static let extensions = "cardpresent"

    /// `text` as one segment of a path (RFC 3986, 2.3).
    public static func escaped(_ text: String) -> String {
        text.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
                String(UnicodeScalar(byte))
            default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }.joined()
    }

    /// The text of an escaped segment; nil if an escape is damaged, or the bytes are not UTF-8.
    static func unescaped(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2, let escaped = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            else { return nil }
            bytes.append(escaped)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
