private import Bytes

/// Two-frequency coherent-phase recording (F2F, Aiken biphase; ISO/IEC 7811-2): there is a flux
/// transition at every bit cell boundary, and another in the middle of a one.
///
/// Times are in any unit; only their ratios matter.
public enum F2F {
    /// The maximum number of transitions that are processed; a track has at most 1416.
    public static let maximumTransitions = 8192

    /// The times of the flux transitions when a head passes over `bits`.
    ///
    /// - Parameter duration: the duration of each bit cell by its index, greater than zero; it
    ///   represents the swipe speed.
    public static func transitions(of bits: TrackBits, from start: Double = 0, cell duration: (Int) -> Double)
        -> [Double]
    {
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

    /// The valid `times`: each is finite and later than the previous one.
    static func sound(_ times: some Sequence<Double>) -> [Double] {
        var kept: [Double] = []
        for time in times.prefix(maximumTransitions) where time.isFinite {
            if let last = kept.last, time <= last { continue }
            kept.append(time)
        }
        return kept
    }
}
