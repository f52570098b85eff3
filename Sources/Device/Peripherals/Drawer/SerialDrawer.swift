public import DeviceIO

/// A cash drawer on a serial line of its own. No common protocol is published: the bytes that open
/// it are those of the drawer's manual.
public final class SerialDrawer {
    /// A line of the port that the drawer's switch drives.
    public enum SwitchLine: Sendable {
        case clearToSend
        case dataSetReady
        case carrierDetect

        var modemLine: ModemLines {
            switch self {
            case .clearToSend: .clearToSend
            case .dataSetReady: .dataSetReady
            case .carrierDetect: .carrierDetect
            }
        }
    }

    private let port: any SerialTransport
    private let command: [UInt8]
    private let line: SwitchLine?
    private let event: WakeEvent

    /// - Parameters:
    ///   - command: The bytes that open the drawer, 1 to 64.
    ///   - line: Where the switch is; nil without one.
    ///   - event: Ends waits.
    public init(_ port: any SerialTransport, command: [UInt8], switchOn line: SwitchLine?, event: WakeEvent) {
        self.port = port
        self.command = Array(command.prefix(64))
        self.line = line
        self.event = event
    }

    /// Opens the drawer if it is closed.
    public func open(_ drawerSwitch: DrawerSwitch, limits: DrawerJob.Limits = .init()) throws(DeviceError)
        -> DrawerJob.Outcome
    {
        var job = DrawerJob(line == nil ? .notFitted : drawerSwitch, limits: limits)
        var input = DrawerJob.Input.start
        while true {
            switch job.next(input) {
            case .look: input = .level(isHigh: try level())
            case .pulse:
                try port.write(command, by: .after(.seconds(2)))
                input = .done
            case .wait(let time):
                try event.wait(until: .after(time))
                input = .done
            case .finish(let outcome): return outcome
            }
        }
    }

    private func level() throws(DeviceError) -> Bool? {
        guard let line else { return nil }
        return try port.modemLines.contains(line.modemLine)
    }
}
