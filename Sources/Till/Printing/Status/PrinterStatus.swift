/// How a printer is, as far as it said so.
public struct PrinterStatus: Sendable, Equatable {
    public enum Paper: Sendable, Equatable {
        case good
        case nearEnd
        case end
    }

    /// What keeps a printer from printing, besides paper and cover.
    public enum Fault: String, Sendable, CaseIterable {
        /// Its knife is stuck.
        case cutter
        /// It must be switched off and on, or repaired.
        case unrecoverable
        /// It goes on by itself when its head has cooled down.
        case hot
        /// It goes on when its cause is removed.
        case recoverable
        case mechanical
    }

    /// The level of the drawer's switch, pin 3 of the socket. Which of the two is an open drawer
    /// depends on the drawer.
    public enum SwitchLevel: String, Sendable, CaseIterable {
        case low
        case high

        init(isHigh: Bool) { self = isHigh ? .high : .low }
    }

    /// Nil as long as the printer has not said it, as all below.
    public var isOffline: Bool?
    public var isCoverOpen: Bool?
    public var paper: Paper?
    public var faults: Set<Fault> = []
    public var drawerSwitch: SwitchLevel?

    public init() {}

    /// Takes what a later message says, and keeps what it does not speak of.
    ///
    /// - Parameter faults: Whether it speaks of faults.
    mutating func update(with later: PrinterStatus, faults speaksOfFaults: Bool) {
        isOffline = later.isOffline ?? isOffline
        isCoverOpen = later.isCoverOpen ?? isCoverOpen
        paper = later.paper ?? paper
        drawerSwitch = later.drawerSwitch ?? drawerSwitch
        if speaksOfFaults { faults = later.faults }
    }

    /// Why the printer cannot print now; nil if nothing is known to be in the way.
    public var obstacle: PrintError? {
        if isCoverOpen == true { return .coverOpen }
        if paper == .end { return .outOfPaper }
        if let fault = Fault.allCases.first(where: faults.contains) { return .operation(fault) }
        if isOffline == true { return .notConnected }
        return nil
    }
}
