/// Finds the bits behind the times of flux transitions: the likeliest way through them, clock included.
///
/// A transition either bounds two bit cells or lies in the middle of a one. From a bound the next
/// one is a cell away (a zero) or there is a middle half a cell away; from a middle the bound is
/// half a cell away (the one is over). Two survivors, one for each kind, are carried from
/// transition to transition, each with its own clock; the sum of squared deviations from what its
/// clock predicts is its cost (Viterbi, with processing per survivor). So a single interval that is
/// early or late costs little, and two halves are never torn apart. Transitions that were lost or
/// that noise put in cost a penalty and keep the path in step.
///
/// The clock follows three things: where in its cell the head is, how long a cell takes, and how fast that changes, which is what a hand
/// does to it.
struct FluxPath {
    /// How eagerly the clock follows: the part of a deviation by which its phase, the length of the cell, and the change of that from cell
    /// to cell are corrected.
    struct Clock {
        let phase: Double
        let cell: Double
        let change: Double
    }

    /// In the order in which they are worth trying.
    static let clocks = [
        Clock(phase: 0.45, cell: 0.2, change: 0.04), Clock(phase: 0.6, cell: 0.85, change: 0.06),
        Clock(phase: 0.24, cell: 0.08, change: 0.01),
    ]

    private enum Kind: Int, CaseIterable {
        case bound = 0
        case middle = 1
    }

    /// One way from a transition to a later one.
    private struct Move {
        let to: Kind
        /// In cells.
        let length: Double
        /// First bit first, `bitCount` of them.
        let bits: UInt8
        let bitCount: Int
        let penalty: Double
    }

    /// The moves from each kind where nothing was lost.
    private static let plainMoves = [
        [
            Move(to: .bound, length: 1, bits: 0b0, bitCount: 1, penalty: 0),
            Move(to: .middle, length: 0.5, bits: 0b0, bitCount: 0, penalty: 0),
        ],
        [Move(to: .bound, length: 0.5, bits: 0b1, bitCount: 1, penalty: 0)],
    ]

    /// All moves from each kind. A bound may be lost between two zeros, before a one, after a one, between two ones; the lost middle of a
    /// one looks like a zero, and parity tells.
    private static let moves = [
        plainMoves[0] + [
            Move(to: .bound, length: 2, bits: 0b00, bitCount: 2, penalty: lost),
            Move(to: .middle, length: 1.5, bits: 0b0, bitCount: 1, penalty: lost),
        ],
        plainMoves[1] + [
            Move(to: .bound, length: 1.5, bits: 0b10, bitCount: 2, penalty: lost),
            Move(to: .middle, length: 1, bits: 0b1, bitCount: 1, penalty: lost),
        ],
    ]

    /// Penalties are in the unit of the cost: half the square of a deviation over its usual size.
    private static let lost = 7.5
    /// For one and for two transitions too many between two good ones.
    private static let added = [0.0, 14, 12]
    private static let gap = 30.0
    /// For each transition passed over at either end, where the hand is slow and the head is not yet or no more on the track.
    private static let margin = 3.0
    private static let longestMargin = 24
    /// The usual deviation of an interval, in cells.
    private static let deviation = 0.13
    /// From how many cells on an interval is a gap, and up to how many zeros may lie in one.
    private static let gapLength = 2.6
    private static let longestGap = 64

    private struct Survivor {
        var cost = Double.infinity
        /// Where the clock has the transition, which may have come earlier or later.
        var time = 0.0
        var cell = 0.0
        var change = 0.0
        var previous = -1
        var previousKind = Kind.bound
        var bits: UInt8 = 0
        var bitCount = 0
    }

    /// The bits of `times`, which rise strictly, with `clock`; empty if there are fewer than four.
    static func bits(_ times: [Double], _ clock: Clock) -> [UInt8] {
        guard times.count >= 4 else { return [] }
        var survivors = [Survivor](repeating: Survivor(), count: times.count * 2)
        for index in times.indices {
            if index < min(longestMargin, times.count - 3) {
                let steps = [times[index + 1] - times[index], times[index + 2] - times[index + 1], times[index + 3] - times[index + 2]]
                    .sorted()
                survivors[index * 2] = Survivor(cost: margin * Double(index), time: times[index], cell: steps[1])
            }
            for skipped in 0...2 where index - 1 - skipped >= 0 {
                extend(&survivors, time: times[index], from: index - 1 - skipped, to: index, skipped: skipped, clock: clock)
            }
        }
        return trace(survivors, times.count)
    }

    /// Tries every move between two transitions and keeps the cheapest for each kind.
    private static func extend(_ survivors: inout [Survivor], time: Double, from: Int, to: Int, skipped: Int, clock: Clock) {
        for kind in Kind.allCases {
            let survivor = survivors[from * 2 + kind.rawValue]
            guard survivor.cost < .infinity else { continue }
            let cells = (time - survivor.time) / survivor.cell
            if cells > gapLength {
                if skipped == 0 { leap(&survivors, survivor: survivor, kind: kind, time: time, from: from, to: to, cells: cells) }
                continue
            }
            for move in (skipped == 0 ? moves : plainMoves)[kind.rawValue] {
                let error = cells - move.length
                guard error.magnitude < 0.75 else { continue }
                let sigmas = error / deviation
                let cost = survivor.cost + sigmas * sigmas / 2 + move.penalty + added[skipped]
                let place = to * 2 + move.to.rawValue
                guard cost < survivors[place].cost else { continue }
                let correction = error * survivor.cell
                let change = survivor.change + clock.change * correction
                let cell = survivor.cell + clock.cell * correction + change * move.length
                survivors[place] = Survivor(
                    cost: cost, time: time - (1 - clock.phase) * correction, cell: min(max(cell, survivor.cell * 0.5), survivor.cell * 2),
                    change: change, previous: from, previousKind: kind, bits: move.bits, bitCount: move.bitCount)
            }
        }
    }

    /// Over a stretch where nothing was read: it is taken for zeros, so that what follows keeps about its place.
    private static func leap(
        _ survivors: inout [Survivor], survivor: Survivor, kind: Kind, time: Double, from: Int, to: Int, cells: Double
    ) {
        let cost = survivor.cost + gap
        guard cost < survivors[to * 2].cost else { return }
        var next = survivor
        next.cost = cost
        next.time = time
        next.change = 0
        next.previous = from
        next.previousKind = kind
        next.bits = 0
        // fits: at most the longest gap
        next.bitCount = Int(min(cells, Double(longestGap)).rounded())
        survivors[to * 2] = next
    }

    /// Goes back from the cheapest end and collects the bits.
    private static func trace(_ survivors: [Survivor], _ count: Int) -> [UInt8] {
        let ends = (max(0, count - longestMargin)..<count).flatMap { [$0 * 2, $0 * 2 + 1] }
        func cost(_ place: Int) -> Double { survivors[place].cost + margin * Double(count - 1 - place / 2) }
        guard var place = ends.min(by: { cost($0) < cost($1) }) else { return [] }
        var bits: [UInt8] = []
        while survivors[place].previous >= 0, bits.count < TrackBits.maximumCount {
            let survivor = survivors[place]
            for index in 0..<survivor.bitCount { bits.append(index < 8 ? survivor.bits >> index & 1 : 0) }
            place = survivor.previous * 2 + survivor.previousKind.rawValue
        }
        bits.reverse()
        return bits
    }
}
