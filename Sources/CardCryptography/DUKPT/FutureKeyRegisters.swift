/// The keys that a DUKPT device keeps instead of the one it was loaded with: for each bit of the counter the key of the next transaction whose lowest
/// set bit it is (ANSI X9.24-1:2009, A.2, "Future Key Registers"; X9.24-3:2017, 6.3.2, "Intermediate Derivation Key Registers").
///
/// A used key cannot be computed from them.
struct FutureKeyRegisters<Key: Sendable>: Sendable {
    /// By the number of the bit; nil where the key is used up or was never due.
    private var keys: [Key?]
    private let maximumSetBits: Int

    /// The registers of a device that has just used `counter`.
    ///
    /// - Parameters:
    ///   - bits: of the counter.
    ///   - maximumSetBits: that a counter in use has.
    ///   - derive: makes the key of a counter out of the one without its lowest set bit.
    init<Failure: Error>(
        initialKey: Key, counter: UInt32, bits: Int, maximumSetBits: Int, derive: (Key, UInt32) throws(Failure) -> Key
    ) throws(Failure) {
        keys = [Key?](repeating: nil, count: bits)
        self.maximumSetBits = maximumSetBits
        var (key, reached) = (initialKey, UInt32(0))
        for bit in (0..<bits).reversed() where reached.nonzeroBitCount < maximumSetBits {
            let next = reached | 1 << bit
            let nextKey = try derive(key, next)
            if counter & 1 << bit != 0 {
                (key, reached) = (nextKey, next)
            } else {
                keys[bit] = nextKey
            }
        }
    }

    /// The key of `counter`, which must be the next one; it is erased, and the keys that come after it are made of it.
    mutating func take<Failure: Error>(
        _ counter: UInt32, derive: (Key, UInt32) throws(Failure) -> Key
    ) throws(Failure) -> Key? {
        let bit = counter.trailingZeroBitCount
        guard bit < keys.count, let key = keys[bit] else { return nil }
        keys[bit] = nil
        guard counter.nonzeroBitCount < maximumSetBits else { return key }
        for lower in 0..<bit { keys[lower] = try derive(key, counter | 1 << lower) }
        return key
    }
}
