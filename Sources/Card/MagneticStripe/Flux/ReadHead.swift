/// The voltage of a read head over flux transitions, for virtual stripes.
///
/// A transition produces a pulse of the form 1 / (1 + (t / w)²), with alternating sign; its height
/// grows with the speed.
public struct ReadHead: Sendable {
    /// Samples in the unit of the transitions' times.
    public let samplesPerUnit: Double
    /// The height of a pulse at the mean distance of the transitions.
    public let amplitude: Double
    /// Half the width of a pulse at half its height, as a fraction of the shorter distance to a
    /// neighbouring transition.
    public let width: Double
    /// The maximum number of samples.
    public static let maximumSamples = PeakDetector.maximumSamples

    public init(samplesPerUnit: Double, amplitude: Double = 10_000, width: Double = 0.2) {
        self.samplesPerUnit = samplesPerUnit
        self.amplitude = amplitude
        self.width = width
    }

    /// The recording of a swipe over `transitions`, whose times must be strictly increasing.
    /// `noise` is added to each sample, in the unit of `amplitude`.
    public func samples(_ transitions: [Double], noise: () -> Double = { 0 }) -> [Int16] {
        let times = F2F.sound(transitions.map { $0 * samplesPerUnit })
        guard let first = times.first, let last = times.last, times.count > 2 else { return [] }
        let steps = times.indices.map { index in
            min(
                index > 0 ? times[index] - times[index - 1] : .infinity,
                index + 1 < times.count ? times[index + 1] - times[index] : .infinity)
        }
        let mean = (last - first) / Double(times.count - 1)
        let margin = mean * 2
        let count = min(Double(Self.maximumSamples), last - first + 2 * margin)
        guard count >= 1 else { return [] }
        // fits: at most the most samples that are looked at
        var voltage = [Double](repeating: 0, count: Int(count))
        for (index, time) in times.enumerated() {
            let reach = steps[index] * width
            let centre = time - first + margin
            let height = index.isMultiple(of: 2) ? amplitude : -amplitude
            let from = centre - reach * 12
            guard from < Double(voltage.count) else { break }
            let to = min(centre + reach * 12, Double(voltage.count))
            // fits: at most the number of samples
            for place in Int(max(0, from))..<Int(max(0, from, to)) {
                let distance = (Double(place) - centre) / reach
                voltage[place] += height / (1 + distance * distance)
            }
        }
        // fits: within the type by its bounds; noise is a number
        return voltage.map { Int16(min(max($0 + noise(), -32_768), 32_767)) }
    }
}
