/// The host's accounts: what it holds of each order, in minor units, kept from its own messages.
///
/// They share no code with the terminal and none with the messages of the gateways, so that a
/// mistake in those does not balance itself.
struct Books {
    /// What a message did to the account of its order.
    enum Booking: String {
        case authorized, captured, refunded, reversed
    }

    struct Account {
        var authorized: Int64 = 0
        var captured: Int64 = 0
        var refunded: Int64 = 0
        var reversed: Int64 = 0
        /// What the cardholder is charged or paid for this order, once it is over.
        var held: Int64 { authorized + captured + refunded - reversed }
    }

    /// By the text of the order id.
    private(set) var accounts: [String: Account] = [:]

    func held(of order: String) -> Int64 { accounts[order]?.held ?? 0 }

    mutating func book(_ booking: Booking, _ amount: Int64, of order: String) {
        var account = accounts[order] ?? Account()
        switch booking {
        case .authorized: account.authorized += amount
        case .captured: account.captured += amount
        case .refunded: account.refunded += amount
        case .reversed: account.reversed += amount
        }
        accounts[order] = account
    }

    /// Gives back all that is held of the order.
    mutating func reverse(_ order: String) { book(.reversed, held(of: order), of: order) }

    /// Takes over the account of another host.
    mutating func set(_ order: String, _ account: Account) { accounts[order] = account }
}

/// The amount of a request to a gateway, read from its bytes for the books alone.
enum WireAmount {
    /// - Parameter name: Of a member whose value is a number with two decimals at most.
    static func json(_ bytes: [UInt8], _ name: String) -> Int64? { decimal(after: "\"\(name)\":", in: bytes) }

    static func xml(_ bytes: [UInt8], _ name: String) -> Int64? { decimal(after: "<\(name)>", in: bytes) }

    private static func decimal(after mark: String, in bytes: [UInt8]) -> Int64? {
        let mark = Array(mark.utf8)
        guard let start = bytes.indices.first(where: { bytes[$0...].starts(with: mark) }) else { return nil }
        var units: Int64 = 0
        var decimals: Int?
        for byte in bytes[(start + mark.count)...] {
            switch byte {
            case 0x30...0x39:
                units = units * 10 + Int64(byte - 0x30)
                decimals = decimals.map { $0 + 1 }
            case UInt8(ascii: ".") where decimals == nil: decimals = 0
            default:
                guard let missing = decimals.map({ 2 - $0 }) else { return units * 100 }
                return missing < 0 ? nil : units * (missing == 2 ? 100 : missing == 1 ? 10 : 1)
            }
        }
        return nil
    }
}
