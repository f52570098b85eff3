/// Why a slip was not printed, or is not known to be.
public enum PrintError: Error, Sendable, Hashable {
    /// The printer does not answer, or takes no more data.
    case timedOut
    /// The slip or the way to the printer could not be prepared.
    case initialization
    case lowBattery
    case outOfPaper
    case coverOpen
    /// The connection broke.
    case connectionLost
    /// There is no connection: the printer is off, unplugged, offline, or another program has it.
    case notConnected
    /// The printer reports a fault.
    case operation(PrinterStatus.Fault)
    /// The printer cannot do it, or speaks another language than its profile says.
    case unsupported
}

extension PrintError {
    /// The kind of the error, for programs and logs: stable names.
    public var code: String {
        switch self {
        case .timedOut: "timedOut"
        case .initialization: "initialization"
        case .lowBattery: "lowBattery"
        case .outOfPaper: "outOfPaper"
        case .coverOpen: "coverOpen"
        case .connectionLost: "connectionLost"
        case .notConnected: "notConnected"
        case .operation: "operation"
        case .unsupported: "unsupported"
        }
    }
}

extension PrintError: CustomStringConvertible {
    /// What is wrong, and the cure.
    public var description: String {
        switch self {
        case .timedOut:
            "the printer did not answer in time: check that it is on and ready, and that its profile is right"
        case .initialization: "nothing to print, or the connection's settings are invalid: check slip and address"
        case .lowBattery: "the printer's battery is low: charge it"
        case .outOfPaper: "the printer is out of paper: put in a new roll"
        case .coverOpen: "the printer's cover is open: close it"
        case .connectionLost: "the connection to the printer broke: check cable and network"
        case .notConnected: "the printer is offline or not connected: switch it on, and check cable and address"
        case .operation(.cutter): "the printer's knife is stuck: remove the jammed paper"
        case .operation(.unrecoverable): "the printer has a fault: switch it off and on"
        case .operation(.hot): "the printer's head is too hot: let it cool down"
        case .operation(.recoverable): "the printer has stopped: remove jammed paper, and close its cover"
        case .operation(.mechanical): "the printer has a mechanical fault: remove jammed paper, and close its head"
        case .unsupported: "the printer cannot do this, or has another command language: choose its own profile"
        }
    }
}
