/// What is known of the switch in a cash drawer, which tells whether it is open.
public enum DrawerSwitch: Sendable, Equatable {
    /// The drawer has none, or nothing reads it.
    case notFitted
    /// There may be one, and which level is an open drawer is not known yet.
    case unknown
    /// The level of an open drawer: whether its line is high.
    case openWhen(isHigh: Bool)
}
