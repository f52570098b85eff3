internal import Bytes
internal import DeviceIO

/// A connected PN532 as a card in the field of another reader, for the thread of its port.
///
/// The chip answers the activation up to RATS and does the blocks of ISO/IEC 14443-4 itself; whole
/// commands and answers pass here.
final class PN53xTarget: LineLink {
    enum Reception: Equatable {
        case command([UInt8])
        case over(PN53xDeparture)
    }

    /// The longest data of TgSetData. TgSetMetaData, which would announce more, is for peers
    /// (7.3.18).
    static let longestAnswer = 262
    /// An extended command: header, three bytes of length, data, two bytes of length.
    static let longestCommand = 4 + 3 + 0xFFFF + 2
    /// How long the chip may need for what it does by itself.
    private static let ownTime = Duration.seconds(1)

    private let link: PN53xFrameLink
    private let identity: PN53xCardIdentity
    private let silence, rearming: Duration
    /// Whether a terminal may find the card.
    private var isArmed = false

    /// Wakes the chip and configures it.
    ///
    /// - Parameters:
    ///   - silence: How long a terminal may send nothing during a tap.
    ///   - rearming: How long the chip waits for a terminal before it is armed again, which also
    ///     shows whether it is still there.
    /// - Throws: `.rejected(.commandNotSupported)` if the chip is not a PN532: a PN533 has no mode
    ///   for cards of ISO/IEC 14443-4.
    init(_ link: PN53xFrameLink, identity: PN53xCardIdentity, silence: Duration, rearming: Duration) throws(DeviceError)
    {
        self.link = link
        self.identity = identity
        (self.silence, self.rearming) = (silence, rearming)
        try link.wake()
        switch try link.perform(.firmwareVersion, time: .zero).first {
        case 0x32: break
        case 0x33: throw .rejected(.commandNotSupported)
        default: throw .malformed(.pn53xAnswer, .unknownType)
        }
        try set(.field(isOn: false))
        // InitialRFOn lets a terminal's field wake the sleeping chip (libnfc, `pn53x_target_init`;
        // the manual does not say so).
        guard let control = try link.perform(.register(.transmitterControl), time: .zero).first else {
            throw .malformed(.pn53xAnswer, .empty)
        }
        try set(.setRegister(.transmitterControl, control | 0x04))
    }

    func isConnected() -> Bool { link.isConnected() }

    func survives(_ error: DeviceError) -> Bool {
        guard error == .cancelled else { return false }
        do throws(DeviceError) {
            try link.abortAsleep()
            try leave()
            return true
        } catch {
            return false
        }
    }

    /// Puts the card into the field, and waits without a time limit until a terminal activates it.
    func waitForTerminal() throws(DeviceError) -> PN53xActivation {
        while true {
            try set(.cardEmulation)
            isArmed = true
            do throws(DeviceError) {
                guard
                    let activation = PN53xActivation(
                        parsing: try link.perform(.becomeCard(identity), time: rearming).wrappedValue)
                else {
                    throw DeviceError.malformed(.pn53xAnswer, .empty)
                }
                return activation
            } catch .timedOut {
                try link.abortAsleep()
            } catch {
                throw error
            }
        }
    }

    /// Waits for the terminal's next command.
    func receive() throws(DeviceError) -> Reception {
        var command: [UInt8] = []
        while true {
            let answer: Wiped
            do throws(DeviceError) {
                answer = try link.perform(.commandOfTerminal, time: silence)
            } catch .timedOut {
                try link.abortAsleep()
                return .over(.silent(silence))
            } catch {
                throw error
            }
            switch PN53xTargetData(parsing: answer.wrappedValue) {
            case nil: throw .malformed(.pn53xAnswer, .empty)
            case .over(let departure): return .over(departure)
            case .part(let bytes, let more):
                command += bytes
                guard command.count <= Self.longestCommand, !(more && bytes.isEmpty) else {
                    return .over(.commandTooLong)
                }
                if !more { return .command(command) }
            }
        }
    }

    /// Sends an answer of at most ``longestAnswer`` bytes.
    ///
    /// - Returns: Nil if the terminal has it.
    func answer(_ bytes: [UInt8]) throws(DeviceError) -> PN53xDeparture? {
        guard let status = try link.perform(.answerToTerminal(bytes), time: Self.ownTime).first else {
            throw .malformed(.pn53xAnswer, .empty)
        }
        return PN53xDeparture(status: status)
    }

    /// Takes the card out of the field. InRelease ends the emulation, too (libnfc, `pn53x_idle`);
    /// the manual does not say so.
    func leave() throws(DeviceError) {
        guard isArmed else { return }
        isArmed = false
        _ = try link.perform(.release, time: Self.ownTime)
        try set(.withoutAutomatics)
    }

    private func set(_ command: PN53xCommand) throws(DeviceError) { _ = try link.perform(command, time: .zero) }
}
