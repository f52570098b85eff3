/// Numbers by tag, for more tags than can be looked through: open addressing, a power of two of places, never more than half of them taken.
///
/// The multiplier of the hash is drawn anew for each process, so that no file can be made whose tags meet in one place.
struct TagTable: Sendable {
    private struct Place {
        var tag: UInt32
        /// The number and two; 1 for a tag whose number was taken back, 0 for a free place.
        var number: UInt32
    }

    private var places: [Place] = []
    private var count = 0
    private var shift: UInt64 = 0

    private static let multiplier = UInt64.random(in: .min ... .max) | 1
    private static let fewest = 512

    var isEmpty: Bool { count == 0 }

    subscript(tag: Tag) -> Int? {
        guard !places.isEmpty else { return nil }
        let number = places[place(tag.rawValue)].number
        // fits: numbers of 32 bits
        return number < 2 ? nil : Int(number) - 2
    }

    /// - Parameter number: Of an entry: below 2 to the 32nd less two. Nil takes the number of `tag` back.
    mutating func set(_ tag: Tag, _ number: Int?) {
        if (count + 1) * 2 > places.count { grow() }
        let place = place(tag.rawValue)
        if places[place].number == 0 { count += 1 }
        places[place] = Place(tag: tag.rawValue, number: number.map { UInt32(clamping: $0 + 2) } ?? 1)
    }

    mutating func removeAll() {
        places = []
        count = 0
    }

    /// Where `tag` is, or where it would be.
    private func place(_ tag: UInt32) -> Int {
        // fits: as many bits as there are places
        var place = Int((UInt64(tag) &* Self.multiplier) >> shift)
        while places[place].number != 0, places[place].tag != tag { place = (place + 1) & (places.count - 1) }
        return place
    }

    private mutating func grow() {
        let old = places
        let size = max(Self.fewest, old.count * 2)
        places = Array(repeating: Place(tag: 0, number: 0), count: size)
        shift = UInt64(64 - size.trailingZeroBitCount)
        for entry in old where entry.number != 0 { places[place(entry.tag)] = entry }
    }
}
