/// Decodes the times of flux transitions to bits: finds the most likely path, including the clock.
///
/// A transition is either a boundary between two bit cells or the middle of a one. From a boundary,
/// the next boundary is one cell away (a zero), or a middle is half a cell away; from a middle, the
/// boundary is half a cell away (the end of the one). Two survivors, one for each kind, are kept at
/// each transition, each with its own clock; their cost is the sum of squared deviations from the
/// clock's prediction (Viterbi, with per-survivor processing). So a single early or late interval
/// costs little, and two halves of a one are never separated. Lost transitions and transitions from
/// noise cost a penalty but keep the path synchronized.
///
/// The clock tracks three values: the phase within the cell, the duration of a cell, and its rate
/// of change, which depends on the hand.
struct FluxPath {
    /// The gains of the clock: the fractions of a deviation by which its phase, the cell length,
    /// and the change of the length from cell to cell are corrected.
    struct Clock {
        let phase: Double
        let cell: Double
        let change: Double
    }

    /// In the order in which they are tried.
    static let clocks = [
        Clock(phase: 0.45, cell: 0.2, change: 0.04), Clock(phase: 0.6, cell: 0.85, change: 0.06),
        Clock(phase: 0.24, cell: 0.08, change: 0.01),
    ]

    private enum Kind: Int, CaseIterable {
        case bound = 0
        case middle = 1
    }

    /// One possible step from a transition to a later one.
    private struct Move {
        let to: Kind
        /// In cells.
        let length: Double
        /// First bit first, `bitCount` of them.
        let bits: UInt8
        let bitCount: Int
        let penalty: Double
    }

    /// The moves from each kind without lost transitions.
    private static let plainMoves = [
        [
            Move(to: .bound, length: 1, bits: 0b0, bitCount: 1, penalty: 0),
            Move(to: .middle, length: 0.5, bits: 0b0, bitCount: 0, penalty: 0),
        ],
        [Move(to: .bound, length: 0.5, bits: 0b1, bitCount: 1, penalty: 0)],
    ]

    /// All moves from each kind. A boundary may be lost between two zeros, before a one, after a
    /// one, or between two ones. The lost middle of a one looks like a zero; parity detects it.
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

    /// Penalties have the unit of the cost: half the square of a deviation relative to the usual
    /// deviation.
    private static let lost = 7.5
    /// For one and for two extra transitions between two good ones.
    private static let added = [0.0, 14, 12]
    private static let gap = 30.0
    /// For each skipped transition at either end, where the hand is slow and the head is not on the
    /// track.
    private static let margin = 3.0
    private static let longestMargin = 24
    /// The usual deviation of an interval, in cells.
    private static let deviation = 0.13
    /// The minimum length of a gap in cells, and the maximum number of zeros in one.
    private static let gapLength = 2.6
    private static let longestGap = 64

    private struct Survivor {
        var cost = Double.infinity
        /// The time of the transition by the clock, which may differ from the measured time.
        var time = 0.0
        var cell = 0.0
        var change = 0.0
        var previous = -1
        var previousKind = Kind.bound
        var bits: UInt8 = 0
        var bitCount = 0
    }

    /// The bits of `times`, which must be strictly increasing, with `clock`; empty if there are
    /// fewer than four.
    static func bits(_ times: [Double], _ clock: Clock) -> [UInt8] {
        guard times.count >= 4 else { return [] }
        var survivors = [Survivor](repeating: Survivor(), count: times.count * 2)
        for index in times.indices {
            if index < min(longestMargin, times.count - 3) {
                let steps = [
                    times[index + 1] - times[index], times[index + 2] - times[index + 1],
                    times[index + 3] - times[index + 2],
                ]
                .sorted()
                survivors[index * 2] = Survivor(cost: margin * Double(index), time: times[index], cell: steps[1])
            }
            for skipped in 0...2 where index - 1 - skipped >= 0 {
                extend(
                    &survivors, time: times[index], from: index - 1 - skipped, to: index, skipped: skipped, clock: clock
                )
            }
        }
        return trace(survivors, times.count)
    }

    /// Tries every move between two transitions and keeps the cheapest for each kind.
    private static func extend(
        _ survivors: inout [Survivor], time: Double, from: Int, to: Int, skipped: Int, clock: Clock
    ) {
        for kind in Kind.allCases {
            let survivor = survivors[from * 2 + kind.rawValue]
            guard survivor.cost < .infinity else { continue }
            let cells = (time - survivor.time) / survivor.cell
            if cells > gapLength {
                if skipped == 0 {
                    leap(&survivors, survivor: survivor, kind: kind, time: time, from: from, to: to, cells: cells)
                }
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
                    cost: cost, time: time - (1 - clock.phase) * correction,
                    cell: min(max(cell, survivor.cell * 0.5), survivor.cell * 2),
                    change: change, previous: from, previousKind: kind, bits: move.bits, bitCount: move.bitCount)
            }
        }
    }

    /// Skips a gap without transitions: it counts as zeros, so that the following bits keep their
    /// approximate position.
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

    /// Traces back from the cheapest end and collects the bits.
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
