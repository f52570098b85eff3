import Bytes
import MagneticStripe
import SeededNumbers

extension SplitMix {
    /// Normally distributed nearly enough, mean 0, deviation 1: eight even numbers of 16 bits
    /// together.
    mutating func normal() -> Double {
        var sum: UInt64 = 0
        for _ in 0..<2 {
            let numbers = next()
            sum += numbers & 0xFFFF + numbers >> 16 & 0xFFFF + numbers >> 32 & 0xFFFF + numbers >> 48
        }
        return (Double(sum) / 65_536 - 4) * 1.5.squareRoot()
    }
}

func shown(_ secret: SecretBytes) -> String { String(decoding: secret.revealed(), as: UTF8.self) }

func text(_ characters: String, _ code: CharacterCode) -> TrackText { TrackText(characters, code: code) }

/// The bits written in `digits`, 0 and 1.
func bits(_ digits: String) -> TrackBits { TrackBits(digits.utf8.map { $0 == UInt8(ascii: "1") }) }

/// A text of random length of the characters that cards use.
func randomText(_ track: TrackNumber, using random: inout SplitMix) -> TrackText {
    let code = track == .three && Bool.random(using: &random) ? .alphanumeric : track.codes[0]
    let letters = Array((code == .numeric ? "0123456789=" : " ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789^/$.-()").utf8)
    let count = Int.random(in: 1...(track.capacity(code) - 3), using: &random)
    return TrackText(
        SecretBytes((0..<count).map { _ in letters[Int.random(in: 0..<letters.count, using: &random)] }), code: code)
}

/// A hand that is never steady: between one and four times in a swipe its speed goes to another
/// one, within `change` of the mean.
struct Hand {
    /// The duration of each bit cell, 1 at the mean speed.
    let cells: [Double]

    init(_ count: Int, change: Double, using random: inout SplitMix) {
        let parts = Int.random(in: 1...4, using: &random)
        let speeds = (0...parts).map { _ in 1 + Double.random(in: -change...change, using: &random) }
        cells = (0..<count).map { cell in
            let place = Double(cell) / Double(count) * Double(parts)
            let part = min(Int(place), parts - 1)
            let way = place - Double(part)
            let smooth = way * way * (3 - 2 * way)
            return 1 / (speeds[part] * (1 - smooth) + speeds[part + 1] * smooth)
        }
    }
}

/// A track, the way it was swiped, and where the head met its transitions.
struct RandomSwipe {
    let track: TrackNumber
    let text: TrackText
    let direction: SwipeDirection
    let transitions: [Double]

    /// - Parameter jitter: the standard deviation of each transition's place, in cells.
    init(_ track: TrackNumber, change: Double, jitter: Double, using random: inout SplitMix) throws {
        self.track = track
        text = randomText(track, using: &random)
        let written = try TrackBits(writing: text, on: track)
        direction = Bool.random(using: &random) ? .forward : .backward
        let met = direction == .forward ? written : written.reversed
        let hand = Hand(met.count, change: change, using: &random)
        var cell = 0
        var end = hand.cells[0]
        transitions = F2F.transitions(of: met) { hand.cells[$0] }.map { time in
            while time > end, cell + 1 < hand.cells.count {
                cell += 1
                end += hand.cells[cell]
            }
            return time + random.normal() * jitter * hand.cells[cell]
        }
    }

    var expected: TrackReading { .read(text, direction) }
}
