/// The keys that a DUKPT device keeps in place of its initial key: for each bit of the counter, the
/// key of the next transaction where it is the lowest set bit (ANSI X9.24-1:2009, A.2, "Future Key
/// Registers"; X9.24-3:2017, 6.3.2, "Intermediate Derivation Key Registers").
///
/// A used key cannot be computed from them.
struct FutureKeyRegisters<Key: Sendable>: Sendable {
    /// By the number of the bit; nil if the key was used or never needed.
    private var keys: [Key?]
    private let maximumSetBits: Int

    /// The registers of a device that has just used `counter`.
    ///
    /// - Parameters:
    ///   - bits: The number of bits of the counter.
    ///   - maximumSetBits: The maximum number of set bits in a used counter.
    ///   - derive: Derives the key of a counter from the key of the counter without its lowest set
    ///     bit.
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

    /// The key of `counter`, which must be the next one. Erases it and derives the following keys
    /// from it.
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
