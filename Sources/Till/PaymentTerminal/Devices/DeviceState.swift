public import CardCapture

/// The reader of a terminal and the state of its connection: one value for the terminal, its events
/// and a user interface.
public struct DeviceState: Sendable, Equatable {
    /// Whether the reader can be used, and who must act if not.
    public enum Connection: Sendable, Equatable {
        /// No reader was connected, or the caller disconnected it.
        case none
        /// The reader is being opened, for ``TimeLimits/connection`` at most.
        case connecting
        /// The reader is open and ready for an operation.
        case connected
        /// The device is absent for a moment; the driver reconnects by itself.
        case reconnecting
        /// The device was unplugged, or it failed. After
        /// ``CardCapture/ReaderEvent/DisconnectReason/silent`` and
        /// ``CardCapture/ReaderEvent/DisconnectReason/failed(_:)`` the next payment with a card
        /// tries it again.
        case lost(ReaderEvent.DisconnectReason)
    }

    /// The source of card data.
    public enum CardEntry: Sendable, Equatable {
        /// From the card in the reader of this name: keyed data are not used.
        case reader(name: String)
        /// The user may key card data.
        case editable(Reason)

        /// Why no reader provides the card data.
        public enum Reason: Sendable, Equatable {
            /// None is connected: connect one, or key the data.
            case noReader
            /// The reader is being opened: wait for it, or key the data.
            case connecting
            /// The reader went away: the reason says how to get it back.
            case readerLost(ReaderEvent.DisconnectReason)
        }
    }

    /// The state as the driver last reported it.
    public internal(set) var connection: Connection
    /// The connected reader, the one that is being opened, or the one that was lost; nil if there
    /// is none.
    public internal(set) var reader: ReaderInfo?

    static let none = DeviceState(connection: .none, reader: nil)

    /// Whether the reader is connected, or is expected back in a moment.
    public var isConnected: Bool { connection == .connected || connection == .reconnecting }

    /// The content of a payment form: the reader's name, or fields for keyed card data.
    public var cardEntry: CardEntry {
        switch connection {
        case .connected, .reconnecting: .reader(name: reader?.name ?? "")
        case .none: .editable(.noReader)
        case .connecting: .editable(.connecting)
        case .lost(let reason): .editable(.readerLost(reason))
        }
    }

    /// Adds the driver's data about the device; properties that it does not know are kept.
    mutating func learn(_ identity: ReaderIdentity) {
        guard var known = reader else { return }
        known.identity = identity.completed(by: known.identity)
        reader = known
    }

    /// Processes an event of the driver.
    ///
    /// - Returns: Whether the reader was lost or came back.
    mutating func take(_ event: ReaderEvent) -> Bool {
        let wasConnected = isConnected
        switch event {
        case .battery(let state): reader?.battery = state
        case .connected: if reader != nil { connection = .connected }
        case .reconnecting: if isConnected { connection = .reconnecting }
        case .disconnected(let reason): if isConnected { connection = .lost(reason) }
        case .cardPresented, .cardRemoved, .swiped, .prompt, .userInterface, .instruction, .selectionRequired,
            .pinProgress, .progress:
            break
        }
        return isConnected != wasConnected
    }
}

/// The reader of a terminal.
public struct ReaderInfo: Sendable, Equatable {
    /// The name for display: ``CardCapture/CardReader/name``.
    public let name: String
    /// What the reader can do, for the choice of prompts and buttons.
    public let capabilities: ReaderCapabilities
    /// Maker, model, serial number and firmware, as far as they are known.
    public internal(set) var identity: ReaderIdentity
    /// As the reader last reported it; nil for a reader without a battery, and before its first
    /// report.
    public internal(set) var battery: BatteryState?

    package init(name: String, capabilities: ReaderCapabilities, identity: ReaderIdentity, battery: BatteryState? = nil)
    {
        self.name = name
        self.capabilities = capabilities
        self.identity = identity
        self.battery = battery
    }
}

extension TerminalError {
    /// The reader that was connected is gone.
    static func readerLost(_ reason: ReaderEvent.DisconnectReason) -> TerminalError {
        switch reason {
        case .unplugged: TerminalError(.readerNotConnected, "the reader was unplugged: connect it again")
        case .closed: TerminalError(.readerNotConnected, "the reader was closed: connect it again")
        case .silent:
            TerminalError(
                .readerNotConnected,
                "the reader does not answer: check that it is on and in range, and connect it again")
        case .failed: TerminalError(.readerNotConnected, "the connection to the reader failed: connect it again")
        }
    }
}
