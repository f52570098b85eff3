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

/// The key serial number of AES DUKPT (ANSI X9.24-3:2017, 6.1): initial key ID (8 bytes: BDK ID and
/// derivation ID), transaction counter (4).
public struct AESKeySerialNumber: Sendable, Hashable {
    /// 8 bytes.
    public let initialKeyID: [UInt8]
    public let counter: UInt32

    /// Nil unless there are 12 bytes.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == 12 else { return nil }
        self.init(initialKeyID: Array(bytes[..<8]), counter: bytes[8...].reduce(0) { $0 << 8 | UInt32($1) })
    }

    /// Nil unless `initialKeyID` has 8 bytes.
    public init?(initialKeyID: [UInt8], counter: UInt32) {
        guard initialKeyID.count == 8 else { return nil }
        self.initialKeyID = initialKeyID
        self.counter = counter
    }

    /// 12 bytes.
    public var bytes: [UInt8] { initialKeyID + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: counter >> $0) } }

    /// The last four bytes of the initial key ID, which distinguish the devices of one BDK.
    var derivationID: ArraySlice<UInt8> { initialKeyID[4...] }

    /// The maximum number of set bits in a device's counter, which bounds the derivations of a key
    /// (6.3.2).
    static let maximumSetBits = 16
    /// The last counter that a device uses for a transaction (6.3.2): the highest sixteen bits set.
    /// All ones mean the key update.
    static let lastCounter: UInt32 = 0xFFFF_0000

    /// The serial number of the device's next transaction: the next counter with at most sixteen
    /// bits set. Nil after the last value: the device has no keys left.
    public var next: AESKeySerialNumber? {
        guard counter < Self.lastCounter else { return nil }
        var next = counter + 1
        while next.nonzeroBitCount > Self.maximumSetBits { next += next & (~next + 1) }
        return AESKeySerialNumber(initialKeyID: initialKeyID, counter: next)
    }
}
