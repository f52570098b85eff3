import MagneticStripe
import SeededNumbers
import Testing

/// How bad a swipe may be: the page of `MagneticStripe` names these limits. Half of the swipes are
/// backward.
@Suite struct SwipeNoiseTests {
    private static let seeds = 1...20 as ClosedRange<UInt64>

    /// 10,000 tracks: the speed anywhere between half and three halves of the mean, changing up to
    /// four times in a swipe, every transition displaced with a standard deviation of 5 % of a bit
    /// cell.
    @Test(arguments: seeds) func everyTransitionDisplaced(_ seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        for number in 0..<500 {
            let swipe = try RandomSwipe(TrackNumber.allCases[number % 3], change: 0.5, jitter: 0.05, using: &random)
            #expect(
                TrackDecoder(swipe.track).read(transitions: swipe.transitions) == swipe.expected, "number \(number)")
        }
    }

    @Test("A steady clock lets the speed change threefold each way", arguments: seeds) func changingSpeedAlone(
        _ seed: UInt64
    ) throws {
        var random = SplitMix(seed: seed)
        for number in 0..<20 {
            let swipe = try RandomSwipe(TrackNumber.allCases[number % 3], change: 0.75, jitter: 0, using: &random)
            #expect(
                TrackDecoder(swipe.track).read(transitions: swipe.transitions) == swipe.expected, "number \(number)")
        }
    }

    /// Waveforms of 24 samples to a mean bit cell, each sample with noise of a standard deviation
    /// of 10 % of a pulse's height, the speed as above.
    @Test("Waveforms with noise are read, or fail, but are never another track", arguments: seeds) func noisyWaveforms(
        _ seed: UInt64
    )
        throws
    {
        var random = SplitMix(seed: seed)
        let head = ReadHead(samplesPerUnit: 24, amplitude: 10_000)
        for number in 0..<15 {
            let swipe = try RandomSwipe(TrackNumber.allCases[number % 3], change: 0.5, jitter: 0.02, using: &random)
            let samples = head.samples(swipe.transitions) { random.normal() * 1000 }
            #expect(TrackDecoder(swipe.track).read(samples: samples) == swipe.expected, "number \(number)")
        }
    }

    @Test(
        "Beyond the limit tracks are lost, but hardly ever misread: two errors must cancel each other in every column")
    func tooMuchNoise() throws {
        var random = SplitMix(seed: 99)
        var misread = 0
        var lost = 0
        for number in 0..<300 {
            let swipe = try RandomSwipe(TrackNumber.allCases[number % 3], change: 0.5, jitter: 0.12, using: &random)
            switch TrackDecoder(swipe.track).read(transitions: swipe.transitions) {
            case swipe.expected, .blank: break
            case .read: misread += 1
            case .failed: lost += 1
            }
        }
        #expect(lost > 30)
        #expect(misread * 50 < 300)
    }

    @Test("Samples that are not a swipe end as blank or unreadable, not as a track") func samplesOfNoSwipe() {
        var random = SplitMix(seed: 0x16)
        #expect(TrackDecoder(.two).read(samples: [Int16]()) == .blank)
        #expect(TrackDecoder(.two).read(samples: [Int16](repeating: .min, count: 10_000)) == .blank)
        #expect(TrackDecoder(.two).read(samples: [Int16.min, .max, .min]) == .blank)
        #expect(
            TrackDecoder(.two).read(samples: (0..<50_000).map { $0.isMultiple(of: 2) ? Int16.min : .max }).text == nil)
        for _ in 0..<10 {
            let noise = (0..<5000).map { _ in Int16.random(in: .min ... .max, using: &random) }
            #expect(TrackDecoder(.one).read(samples: noise).text == nil)
        }
    }
}
