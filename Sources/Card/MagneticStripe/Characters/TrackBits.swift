internal import Bytes

/// The bits of a track in the order on the stripe, or in the order of reading.
///
/// They are card data and are never printed.
public struct TrackBits: Sendable, Equatable {
    /// The maximum number of bits; a stripe of 85.6 mm has 708 at 210 bits per inch. Further bits
    /// are dropped.
    public static let maximumCount = 2048

    /// One byte each, 0 or 1.
    let storage: SecretBytes

    public var count: Int { storage.count }

    /// Copies `bits` (values 0 and 1) and wipes them.
    init(wiping bits: inout [UInt8]) {
        if bits.count > Self.maximumCount {
            var kept = Array(bits[..<Self.maximumCount])
            wipe(&bits)
            storage = SecretBytes(wiping: &kept)
        } else {
            storage = SecretBytes(wiping: &bits)
        }
    }

    public init(_ bits: some Sequence<Bool>) {
        var values: [UInt8] = []
        for bit in bits {
            guard values.count < Self.maximumCount else { break }
            values.append(bit ? 1 : 0)
        }
        self.init(wiping: &values)
    }

    /// From bits packed eight to a byte, the first in the highest position.
    public init(packed bytes: some Sequence<UInt8>) {
        self.init(bytes.lazy.flatMap { byte in (0..<8).lazy.map { byte << $0 & 0x80 != 0 } })
    }

    /// From the characters of a reader's raw track: each of `codes` is one character, its least
    /// significant bit first on the stripe, the parity bit at `bitsPerCharacter` - 1.
    public init(codes: some Sequence<UInt8>, bitsPerCharacter: Int) {
        self.init(codes.lazy.flatMap { code in (0..<bitsPerCharacter).lazy.map { code >> $0 & 1 != 0 } })
    }

    /// In the order of a swipe in the opposite direction.
    public var reversed: TrackBits {
        var bits = storage.revealed()
        bits.reverse()
        return TrackBits(wiping: &bits)
    }
}

extension TrackBits: CustomStringConvertible, CustomReflectable {
    public var description: String { "\(count) bits of a track" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
