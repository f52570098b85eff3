/// Every decision of a run. The same seed gives the same decisions; so does the list that was kept
/// of them.
///
/// A draw of 0 is always the mild one: what is past the end of a list that is replayed is 0.
struct Draws {
    /// Each has numbers of its own, so that one more draw of one kind leaves the others as they
    /// are.
    enum Stream: Int, CaseIterable {
        case plan, schedule, network, disk, reader
        /// Which parts stand beside the terminal.
        case parts
        /// What hosts, cards and people do beside what is common, and the terminal's configuration.
        case corners, settings
    }

    struct Draw: Equatable {
        let label: StaticString
        let bound: UInt64
        let value: UInt64

        static func == (one: Draw, other: Draw) -> Bool { one.bound == other.bound && one.value == other.value }
    }

    private var states: [UInt64]
    private(set) var kept: [[Draw]] = Stream.allCases.map { _ in [] }
    private let given: [[UInt64]]?
    private let mild: Set<Int>

    /// - Parameter isObliging: Whether the streams of the corners and the settings have nothing but
    ///   mild draws.
    init(seed: UInt64, isObliging: Bool = false) {
        mild = isObliging ? [Stream.corners.rawValue, Stream.settings.rawValue] : []
        states = Stream.allCases.map {
            Self.mixed(seed &* 0x9E37_79B9_7F4A_7C15 &+ UInt64($0.rawValue + 1) &* 0xD1B5_4A32_D192_ED03)
        }
        given = nil
    }

    /// - Parameter given: The values of each stream.
    init(given: [[UInt64]]) {
        mild = []
        states = Stream.allCases.map { _ in 0 }
        self.given = given
    }

    mutating func draw(_ stream: Stream, _ label: StaticString, _ bound: UInt64) -> UInt64 {
        let index = stream.rawValue
        let value: UInt64
        if let given {
            let place = kept[index].count
            value = place < given[index].count ? min(given[index][place], bound - 1) : 0
        } else if mild.contains(index) {
            value = 0
        } else {
            states[index] &+= 0x9E37_79B9_7F4A_7C15
            value = Self.mixed(states[index]).multipliedFullWidth(by: bound).high
        }
        kept[index].append(Draw(label: label, bound: bound, value: value))
        return value
    }

    /// splitmix64's output function.
    private static func mixed(_ value: UInt64) -> UInt64 {
        var mixed = value
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
