import CardCapture
import DeviceIO

/// The contacts of a NEO reader, in its pass-through mode: commands go to the chip unchanged
/// (80139403-002, "Pass-Through"). The driver's state of them.
struct NEOContacts {
    /// The reader takes no other commands in this mode: no swipes and no taps.
    var isPassingThrough = false
    /// The number of the activation of the chip; nil without one.
    var activation: Int?

    /// How long the reader may take to power a chip.
    static let powerTimeout = Duration.seconds(5)
    /// How long a command may take, including all the time that the chip requests.
    static let commandTimeout = Duration.seconds(60)
    /// Between two looks at the contacts.
    static let pause = Duration.milliseconds(200)
    /// How long the reader waits for a swipe between two looks at the contacts, in seconds.
    static let turn: UInt8 = 1

    /// A card that came.
    enum Arrival: Sendable {
        case chip
        case swipe(CapturedSwipe)
    }

    /// How a command to the chip ended.
    enum Exchange: Sendable {
        case answered([UInt8])
        /// The chip is in the contacts and did not answer.
        case unanswered
        case removed
    }
}

extension NEOCommand {
    /// The interface "ICC".
    private static let contacts: UInt8 = 0x20

    /// Starts or ends the pass-through mode.
    static func passThrough(_ isOn: Bool) -> NEOCommand {
        NEOCommand(0x2C, 0x01, [isOn ? 0x01 : 0x00], checkOrder: .highFirst)
    }
    /// Powers the chip; its answer to reset is the answer ("Get ATR").
    static let powerOn = NEOCommand(0x2C, 0x12, [contacts])
    static func transmit(_ command: [UInt8]) -> NEOCommand { NEOCommand(0x2C, 0x13, [contacts] + command) }
    /// The guide's page with its frame is not public: it is sent without data.
    static let powerOff = NEOCommand(0x2C, 0x18)
}

extension NEODevice {
    /// Waits for one of `cards`, without a time limit. While it waits for both, the reader looks at
    /// the contacts once a second, and sees no swipe in that moment.
    ///
    /// - Parameter activation: The number that the activation of a chip gets.
    func nextCard(among cards: Set<CardArrivals.Card>, activation: Int) throws(DeviceError) -> NEOContacts.Arrival {
        try endContacts()
        var looks = cards.contains(.chip)
        while true {
            if looks {
                do throws(DeviceError) {
                    if try powersChip() {
                        contacts.activation = activation
                        return .chip
                    }
                } catch .rejected where cards.contains(.stripe) {
                    // A model without contacts.
                    looks = false
                } catch {
                    throw error
                }
            }
            if !cards.contains(.stripe) {
                try pause(NEOContacts.pause)
            } else if let swipe = try nextSwipe(seconds: looks ? NEOContacts.turn : Self.turn) {
                return .swipe(swipe)
            }
        }
    }

    /// - Returns: False if no chip answers. The reader is then out of the pass-through mode.
    /// - Throws: ``DeviceError/rejected(_:)`` if the reader has no such mode, or no contacts.
    private func powersChip() throws(DeviceError) -> Bool {
        let start = try passThrough(.passThrough(true), within: Self.timeout)
        guard start.status == .ok else { throw Self.refusal(start) }
        contacts.isPassingThrough = true
        let answer = try passThrough(.powerOn, within: NEOContacts.powerTimeout)
        if answer.isAnswerToReset { return true }
        try endPassThrough()
        switch answer.status {
        case .wrongTag, .unknownCommand, .unknownSubcommand, .wrongChecksum: throw Self.refusal(answer)
        // The guide has no status for empty contacts.
        default: return false
        }
    }

    /// - Parameter activation: The activation of the chip that the command is for.
    func transmit(_ command: [UInt8], activation: Int) throws(DeviceError) -> NEOContacts.Exchange {
        guard contacts.activation == activation else { return .removed }
        let answer = try passThrough(.transmit(command), within: NEOContacts.commandTimeout)
        guard answer.status != .ok else { return .answered(answer.data) }
        contacts.activation = nil
        // The status does not say why. A chip that can be powered again is still there.
        return try passThrough(.powerOn, within: NEOContacts.powerTimeout).isAnswerToReset ? .unanswered : .removed
    }

    /// Powers the chip off and ends the pass-through mode.
    func endContacts() throws(DeviceError) {
        contacts.activation = nil
        guard contacts.isPassingThrough else { return }
        // The chip may be gone already.
        _ = try passThrough(.powerOff, within: Self.timeout)
        try endPassThrough()
    }

    func endPassThrough() throws(DeviceError) {
        let end = try passThrough(.passThrough(false), within: Self.timeout)
        guard end.status == .ok else { throw Self.refusal(end) }
        contacts.isPassingThrough = false
    }

    /// Looks once for a chip, and leaves the contacts without power.
    func hasEmptyContacts() throws(DeviceError) -> Bool {
        try endContacts()
        let hasChip = try powersChip()
        try endContacts()
        return !hasChip
    }

    /// Executes a command of the pass-through mode and returns its answer.
    ///
    /// The guide contradicts itself about the order of the checksum's bytes: page 47 has the high
    /// one first in all commands of the mode, the pages of "Get ATR" and of the exchange have the
    /// low one first. The reader does not execute a command whose checksum it refuses: it gets the
    /// other order.
    private func passThrough(_ command: NEOCommand, within limit: Duration) throws(DeviceError) -> NEOResponse {
        let answer = try perform(command, within: limit)
        guard answer.status == .wrongChecksum else { return answer }
        var other = command
        other.checkOrder = command.checkOrder == .lowFirst ? .highFirst : .lowFirst
        return try perform(other, within: limit)
    }
}

extension NEOResponse {
    fileprivate var isAnswerToReset: Bool { status == .ok && !data.isEmpty }
}
