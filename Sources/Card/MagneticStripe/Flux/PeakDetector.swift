/// Finds flux transitions in the voltage of a read head: each is a pulse, and the pulses alternate
/// in sign.
///
/// The detector follows the signal between extrema: a maximum is accepted when the voltage has
/// fallen from it by a fraction of the usual swing, and a minimum likewise. The usual swing adapts
/// to the signal, which grows with the swipe speed. Changes smaller than a fraction of the whole
/// recording's swing are noise. A first pass finds the distance of the pulses; the second uses
/// samples averaged over a fraction of that distance, which reduces noise.
public struct PeakDetector: Sendable {
    /// The maximum number of samples that are processed.
    public static let maximumSamples = 1 << 21

    /// The fraction of the usual swing that confirms an extremum.
    let threshold: Double

    /// In the order in which they are tried.
    static let choices = [PeakDetector(threshold: 0.4), PeakDetector(threshold: 0.6), PeakDetector(threshold: 0.25)]

    /// The times of the transitions, in samples from the first.
    public static func transitions(in samples: some Collection<Int16>) -> [Double] {
        choices[0].transitions(in: samples)
    }

    func transitions(in samples: some Collection<Int16>) -> [Double] {
        let raw = samples.prefix(Self.maximumSamples).map(Double.init)
        let rough = turns(raw)
        guard rough.count > 3 else { return rough }
        let steps = zip(rough, rough.dropFirst()).map { $1 - $0 }.sorted()
        // Most intervals are a half or a whole cell; the lower quartile is a short one.
        // fits: at most the number of samples
        let width = Int(steps[steps.count / 4] / 2.5)
        return width > 1 ? turns(Self.averaged(raw, width)) : rough
    }

    /// The moving average of the samples with their neighbours, `width` on both sides together.
    private static func averaged(_ samples: [Double], _ width: Int) -> [Double] {
        let half = width / 2
        guard half > 0, samples.count > 2 * half else { return samples }
        var sum = samples[..<(2 * half)].reduce(0, +)
        var means = samples
        for index in half..<(samples.count - half) {
            sum += samples[index + half]
            means[index] = sum / Double(2 * half + 1)
            sum -= samples[index - half]
        }
        return means
    }

    /// The positions of the signal's extrema, interpolated by a parabola through three samples.
    private func turns(_ signal: [Double]) -> [Double] {
        guard signal.count > 2 else { return [] }
        let whole = Self.swing(signal)
        guard whole > 0 else { return [] }
        let least = whole * 0.12
        var usual = whole * 0.6
        var found: [Double] = []
        var extreme = 0
        var lastTurn: Double?
        // The direction of the signal is unknown before its first extremum.
        var rises: Bool?
        var low = 0
        var high = 0
        for index in signal.indices {
            guard found.count < F2F.maximumTransitions else { break }
            let needed = max(least, usual * threshold)
            guard let isRising = rises else {
                if signal[index] > signal[high] { high = index }
                if signal[index] < signal[low] { low = index }
                if signal[high] - signal[low] >= needed {
                    rises = high > low
                    extreme = max(high, low)
                }
                continue
            }
            let value = signal[index]
            if isRising ? value > signal[extreme] : value < signal[extreme] {
                extreme = index
            } else if (signal[extreme] - value).magnitude >= needed {
                if let last = lastTurn { usual += ((signal[extreme] - last).magnitude - usual) * 0.2 }
                lastTurn = signal[extreme]
                found.append(Self.place(of: extreme, in: signal))
                rises = !isRising
                extreme = index
            }
        }
        return found
    }

    private static func place(of index: Int, in signal: [Double]) -> Double {
        guard index > 0, index + 1 < signal.count else { return Double(index) }
        let curve = signal[index - 1] - 2 * signal[index] + signal[index + 1]
        guard curve != 0 else { return Double(index) }
        return Double(index) + min(max((signal[index - 1] - signal[index + 1]) / (2 * curve), -0.5), 0.5)
    }

    /// The usual difference between the lowest and the highest voltage: that of the quarter of the
    /// recording with large values, so that a single click has no effect.
    private static func swing(_ signal: [Double]) -> Double {
        let length = max(2, signal.count / 64)
        let swings = stride(from: 0, to: signal.count, by: length).map { start in
            let block = signal[start..<min(start + length, signal.count)]
            return (block.max() ?? 0) - (block.min() ?? 0)
        }.sorted()
        return swings[swings.count * 3 / 4]
    }
}
