/// The key serial number of TDES DUKPT (ANSI X9.24-1:2009, A.2): key set and device, 59 bits, then
/// a 21-bit transaction counter. 10 bytes.
public struct KeySerialNumber: Sendable, Hashable {
    public let bytes: [UInt8]

    /// Nil unless there are 10 bytes, or 8, which are prefixed by FFFF (A.2).
    public init?(_ bytes: [UInt8]) {
        switch bytes.count {
        case 8: self.bytes = [0xFF, 0xFF] + bytes
        case 10: self.bytes = bytes
        default: return nil
        }
    }

    /// The transaction counter, 0 to 2²¹ − 1. A device uses the values with at most ten bits set.
    public var counter: UInt32 {
        UInt32(bytes[7] & 0x1F) << 16 | UInt32(bytes[8]) << 8 | UInt32(bytes[9])
    }

    /// The same device's key serial number with counter zero: that of its initial key.
    public var initial: KeySerialNumber { with(counter: 0) }

    /// The number of bits of the transaction counter.
    static let counterBits = 21
    /// The maximum number of set bits in a device's counter, which bounds the derivations of a key
    /// (A.3).
    static let maximumSetBits = 10

    /// The serial number of the device's next transaction: the next counter with at most ten bits
    /// set (A.3, "New Key"). Nil after the last value: the device has no keys left.
    public var next: KeySerialNumber? {
        var next = counter + 1
        while next.nonzeroBitCount > Self.maximumSetBits { next += next & (~next + 1) }
        return next < 1 << Self.counterBits ? with(counter: next) : nil
    }

    func with(counter: UInt32) -> KeySerialNumber {
        var changed = bytes
        changed[7] = changed[7] & 0xE0 | UInt8(counter >> 16 & 0x1F)
        changed[8] = UInt8(counter >> 8 & 0xFF)
        changed[9] = UInt8(counter & 0xFF)
        return KeySerialNumber(unchecked: changed)
    }

    private init(unchecked bytes: [UInt8]) {
        self.bytes = bytes
    }
}
