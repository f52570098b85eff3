/// Numbers by tag, for too many tags to scan: open addressing, with a power of two of slots, at
/// most half of them used.
///
/// The multiplier of the hash is random for each process, so that nobody can construct a file whose
/// tags collide.
struct TagTable: Sendable {
    private struct Place {
        var tag: UInt32
        /// The number plus two; 1 for a tag whose number was removed, 0 for a free slot.
        var number: UInt32
    }

    private var places: [Place] = []
    private var count = 0
    private var shift: UInt64 = 0

    private let multiplier = Self.drawn
    private static let drawn = UInt64.random(in: .min ... .max) | 1
    private static let fewest = 512

    var isEmpty: Bool { count == 0 }

    subscript(tag: Tag) -> Int? {
        guard !places.isEmpty else { return nil }
        let number = places[place(tag.rawValue)].number
        // fits: numbers of 32 bits
        return number < 2 ? nil : Int(number) - 2
    }

    /// - Parameter number: The number of an entry, below 2³² − 2. Nil removes the number of `tag`.
    /// - Returns: The number that `tag` had before.
    @discardableResult
    mutating func set(_ tag: Tag, _ number: Int?) -> Int? {
        if (count + 1) * 2 > places.count { grow() }
        let place = place(tag.rawValue)
        let before = places[place].number
        if before == 0 { count += 1 }
        places[place] = Place(tag: tag.rawValue, number: number.map { UInt32(clamping: $0 + 2) } ?? 1)
        // fits: numbers of 32 bits
        return before < 2 ? nil : Int(before) - 2
    }

    mutating func removeAll() {
        places = []
        count = 0
    }

    /// The slot of `tag`, or the slot where it would be.
    private func place(_ tag: UInt32) -> Int {
        let last = places.count - 1
        // fits: as many bits as there are places
        var place = Int(truncatingIfNeeded: (UInt64(tag) &* multiplier) >> shift)
        while places[place].number != 0, places[place].tag != tag { place = (place &+ 1) & last }
        return place
    }

    private mutating func grow() {
        let old = places
        let size = max(Self.fewest, old.count * 4)
        places = Array(repeating: Place(tag: 0, number: 0), count: size)
        // fits: a size has at most 63 zero bits
        shift = UInt64(64 - size.trailingZeroBitCount)
        for entry in old where entry.number != 0 { places[place(entry.tag)] = entry }
    }
}
