/// The opening of a cash drawer: the switch is read first, a drawer that is open gets no pulse, and
/// none gets a second one.
///
/// It has no clock and no connection: whoever runs it does each ``Action``, and tells how it
/// ended by an ``Input``.
public struct DrawerJob: Sendable {
    /// How long a drawer may take.
    public struct Limits: Sendable, Equatable {
        /// From the pulse to the first look at the switch: a drawer needs that time to move.
        public var first = Duration.milliseconds(200)
        /// Between later looks.
        public var pause = Duration.milliseconds(100)
        /// How many looks there are: two seconds in all.
        public var looks = 19

        public init() {}
    }

    public enum Action: Sendable, Equatable {
        /// Read the level of the switch.
        case look
        case pulse
        case wait(Duration)
        case finish(Outcome)
    }

    public enum Input: Sendable, Equatable {
        case start
        /// The pulse was sent, or the time is over.
        case done
        /// Whether the switch's line is high; nil if nothing tells.
        case level(isHigh: Bool?)
    }

    public enum Outcome: Sendable, Equatable {
        /// The switch says so. The level is that of an open drawer.
        case opened(isHigh: Bool)
        /// It was open before, and got no pulse.
        case alreadyOpen
        /// The switch is known, and did not move.
        case didNotOpen
        /// The pulse was sent, and the level never changed: no switch is fitted, or the drawer is
        /// locked.
        case noSwitchSeen
        /// The pulse was sent, and nothing can tell whether the drawer opened.
        case notKnown
    }

    private enum Step {
        case before
        case pulsing
        case waiting
        case looking
        case ended(Outcome)
    }

    private let drawerSwitch: DrawerSwitch
    private let limits: Limits
    private var step = Step.before
    private var before: Bool?
    private var looks = 0

    public init(_ drawerSwitch: DrawerSwitch, limits: Limits = Limits()) {
        self.drawerSwitch = drawerSwitch
        self.limits = limits
    }

    /// What to do after what has happened.
    public mutating func next(_ input: Input) -> Action {
        switch (step, input) {
        case (.ended(let outcome), _): return .finish(outcome)
        case (.before, .start): return drawerSwitch == .notFitted ? pulse() : .look
        case (.before, .level(let isHigh)):
            before = isHigh
            if case .openWhen(isHigh) = drawerSwitch { return end(.alreadyOpen) }
            return pulse()
        case (.pulsing, _):
            guard drawerSwitch != .notFitted, before != nil else { return end(.notKnown) }
            step = .waiting
            return .wait(limits.first)
        case (.waiting, _):
            step = .looking
            looks += 1
            return .look
        case (.looking, .level(let isHigh)): return seen(isHigh)
        case (.before, .done), (.looking, .done), (.looking, .start): return end(.notKnown)
        }
    }

    private mutating func pulse() -> Action {
        step = .pulsing
        return .pulse
    }

    private mutating func seen(_ isHigh: Bool?) -> Action {
        if let isHigh, isHigh != before { return end(.opened(isHigh: isHigh)) }
        guard looks < limits.looks else {
            if case .openWhen = drawerSwitch { return end(.didNotOpen) }
            return end(.noSwitchSeen)
        }
        step = .waiting
        return .wait(limits.pause)
    }

    private mutating func end(_ outcome: Outcome) -> Action {
        step = .ended(outcome)
        return .finish(outcome)
    }
}

extension DrawerJob.Outcome: CustomStringConvertible {
    public var description: String {
        switch self {
        case .opened: "the drawer is open"
        case .alreadyOpen: "the drawer was open already: no pulse was sent"
        case .didNotOpen: "the drawer did not open: unlock it, and check its cable"
        case .noSwitchSeen: "the pulse was sent, and the switch never moved: none is fitted, or the drawer is locked"
        case .notKnown: "the pulse was sent; nothing tells whether the drawer opened"
        }
    }
}

/// What is known of the switch in a cash drawer, which tells whether it is open.
public enum DrawerSwitch: Sendable, Equatable {
    /// The drawer has none, or nothing reads it.
    case notFitted
    /// There may be one, and which level is an open drawer is not known yet.
    case unknown
    /// The level of an open drawer: whether its line is high.
    case openWhen(isHigh: Bool)
}
