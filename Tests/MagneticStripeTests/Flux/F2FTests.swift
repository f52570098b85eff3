import MagneticStripe
import SeededNumbers
import Testing

@Suite struct F2FTests {
    /// ISO/IEC 7811-2: a transition bounds each cell, a one has another in the middle.
    @Test func oneHasATransitionInItsMiddle() {
        #expect(F2F.transitions(of: bits("010")) { _ in 2 } == [0, 2, 3, 4, 6])
    }

    /// Both implementations write and read each other's recordings.
    @Test func agreesWithThePeer() throws {
        var random = SplitMix(seed: 0xF2F)
        let texts = (0..<60).map { _ in randomText(.two, using: &random) }
        let zeros = String(repeating: "0", count: 24)
        let written = try peer(["encode", "5"] + texts.map { shown($0.characters) })
        let recorded = try peer(["write"] + written.map { zeros + $0 + zeros })
        for (text, places) in zip(texts, recorded) {
            #expect(
                TrackDecoder(.two).read(transitions: places.split(separator: ",").compactMap { Double($0) })
                    == .read(text, .forward))
        }
        let ours = try texts.map { text in
            F2F.transitions(of: try TrackBits(writing: text, on: .two)) { _ in 10 }.map { "\($0)" }.joined(
                separator: ",")
        }
        let read = try peer(["read"] + ours)
        #expect(
            try peer(["decode", "5"] + read.map { String($0.dropFirst(24).dropLast(24)) })
                == texts.map { shown($0.characters) })
    }

    private let pan = text("4761739001010119=49122010000000000", .numeric)

    /// A transition that the head missed between two cells is put back; one in the middle of a one
    /// makes a zero of it, and parity tells.
    @Test("A lost transition is put back, or its character fails the parity") func lostTransitions() throws {
        let written = try TrackBits(writing: pan, on: .two)
        let times = F2F.transitions(of: written) { _ in 1 }
        for place in times.indices {
            var kept = times
            let lost = kept.remove(at: place)
            let reading = TrackDecoder(.two).read(transitions: kept)
            #expect(reading.text == nil || reading == .read(pan, .forward), "transition \(place)")
            if lost == lost.rounded() { #expect(reading == .read(pan, .forward), "transition \(place)") }
        }
    }

    @Test("Noise that looks like two transitions close together is passed over wherever it is") func addedTransitions()
        throws
    {
        let times = F2F.transitions(of: try TrackBits(writing: pan, on: .two)) { _ in 1 }
        for place in times.indices.dropLast() {
            var noisy = times
            noisy.insert(contentsOf: [times[place] + 0.15, times[place] + 0.25], at: place + 1)
            #expect(TrackDecoder(.two).read(transitions: noisy) == .read(pan, .forward), "transition \(place)")
        }
    }

    /// A scratch of six cells costs the track, not the two others.
    @Test func tracksStandForThemselves() throws {
        var random = SplitMix(seed: 3)
        var swipe = Swipe()
        var expected = Swipe()
        for track in TrackNumber.allCases {
            let random = try RandomSwipe(track, change: 0.3, jitter: 0.03, using: &random)
            let middle = random.transitions[random.transitions.count / 2]
            let met = track == .two ? random.transitions.filter { ($0 - middle).magnitude > 3 } : random.transitions
            swipe[track] = TrackDecoder(track).read(transitions: met)
            expected[track] = random.expected
        }
        #expect(swipe.track1 == expected.track1)
        #expect(swipe.track3 == expected.track3)
        #expect(swipe.track2.error != nil)
    }

    @Test("Transitions that never end are looked at up to the limit, valid or not", arguments: [0.0, .nan, .infinity])
    func endlessTransitions(_ step: Double) {
        var taken = 0
        let endless = sequence(state: 0.0) { (time: inout Double) -> Double? in
            taken += 1
            time += 1 + step
            return time
        }
        #expect(TrackDecoder(.one).read(transitions: endless) == .blank)
        #expect(taken == 8192)
    }

    @Test("Transitions at times that no head meets end with a reading") func impossibleTimes() {
        var random = SplitMix(seed: 0xBAD)
        #expect(TrackDecoder(.one).read(transitions: [Double]()) == .blank)
        #expect(TrackDecoder(.one).read(transitions: [.nan, .infinity, -.infinity, 1, 1, 0, -1]) == .blank)
        #expect(TrackDecoder(.one).read(transitions: [-1e308, 0, 1e308, 1.5e308, 1.6e308]).text == nil)
        #expect(
            TrackDecoder(.one).read(transitions: [0, 1, 2, 4, 1e17, 1e300].map { $0 * .leastNonzeroMagnitude }).text
                == nil)
        #expect(TrackDecoder(.one).read(transitions: (0..<1_000_000).lazy.map(Double.init)) == .blank)
        for _ in 0..<20 {
            var time = 0.0
            let times = (0..<4000).map { _ in
                time +=
                    Double.random(in: 0...1, using: &random) < 0.01
                    ? Double.random(in: 0...1e12, using: &random) : Double.random(in: 0...2, using: &random)
                return time
            }
            #expect(TrackDecoder(.three).read(transitions: times).text == nil)
        }
    }
}
