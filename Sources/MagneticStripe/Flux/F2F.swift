private import Bytes

/// Two-frequency coherent-phase recording (F2F, Aiken biphase; ISO/IEC 7811-2): a flux transition bounds every bit cell, and a one has
/// another in its middle.
///
/// Times are in any unit; only their ratios count.
public enum F2F {
    /// How many transitions of a swipe are looked at; a track has 1416 at most.
    public static let maximumTransitions = 8192

    /// The times of the flux transitions when a head passes over `bits`.
    ///
    /// - Parameter duration: of each bit cell by its index, greater than zero: the speed of the hand.
    public static func transitions(of bits: TrackBits, from start: Double = 0, cell duration: (Int) -> Double) -> [Double] {
        bits.storage.withBytes { bits in
            var times = [start]
            times.reserveCapacity(bits.count * 2 + 1)
            var time = start
            for index in bits.indices {
                let cell = duration(index)
                if bits[index] != 0 { times.append(time + cell / 2) }
                time += cell
                times.append(time)
            }
            return times
        }
    }

    /// `times` without what cannot be a time: each is finite and later than the one before.
    static func sound(_ times: some Sequence<Double>) -> [Double] {
        var kept: [Double] = []
        for time in times.prefix(maximumTransitions) where time.isFinite {
            if let last = kept.last, time <= last { continue }
            kept.append(time)
        }
        return kept
    }
}
