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
