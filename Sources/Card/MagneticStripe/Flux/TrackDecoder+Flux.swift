private import Bytes

extension TrackDecoder {
    /// Decodes the times of flux transitions, in any unit, in the order of reading.
    ///
    /// Several clocks, from the start and from the end, propose bits; parity and redundancy check
    /// decide which are correct. If all fail, the result is the failure of the first.
    public func read(transitions: some Sequence<Double>) -> TrackReading {
        let times = F2F.sound(transitions)
        guard let last = times.last, times.count > 3 else { return .blank }
        let backward = times.reversed().map { last - $0 }
        var readings: [TrackReading] = []
        for clock in FluxPath.clocks {
            for isBackward in [false, true] {
                var values = FluxPath.bits(isBackward ? F2F.sound(backward) : times, clock)
                if isBackward { values.reverse() }
                readings.append(read(TrackBits(wiping: &values)))
                if case .read = readings[readings.count - 1] { return readings[readings.count - 1] }
            }
        }
        return readings.first { $0.error != nil } ?? .blank
    }

    /// Decodes the voltage of a read head: signed samples, equally spaced, at least eight in half a
    /// bit cell.
    public func read(samples: some Collection<Int16>) -> TrackReading {
        var readings: [TrackReading] = []
        for detector in PeakDetector.choices {
            readings.append(read(transitions: detector.transitions(in: samples)))
            if case .read = readings[readings.count - 1] { return readings[readings.count - 1] }
        }
        return readings.first { $0.error != nil } ?? .blank
    }
}
