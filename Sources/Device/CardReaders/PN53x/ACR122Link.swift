internal import Bytes
internal import DeviceIO

/// The PN532 in an ACR122U: its commands are pseudo-APDUs to a USB CCID reader (ACS, ACR122U API).
final class ACR122Link: PN53xLink {
    /// How the reader accepts pseudo-APDUs.
    private enum Way {
        case escape
        /// As commands to a card; older firmware supports only this.
        case transfer
    }

    /// The maximum number of GET RESPONSE commands for a long answer.
    private static let maximumParts = 4

    /// Lc has one byte; the code of InCommunicateThru has two.
    let longestBlock = 252
    /// Frames of 64 bytes, as in the reader's own firmware. They fit into its answers.
    let frameSizeInteger: UInt8 = 5
    private let link: CCIDBulkLink
    private let latency: Duration
    private var way = Way.escape

    /// - Parameter latency: How long the transfer to the chip and back may take.
    init(_ transport: any USBTransport, latency: Duration, cancel: WakeEvent) throws(DeviceError) {
        guard let (interface, descriptor) = transport.descriptors.readers.first else {
            throw .malformed(.chipCardInterface, .missing)
        }
        self.latency = latency
        try transport.claim(interface: interface.number)
        link = try CCIDBulkLink(transport, interface, descriptor, cancel: cancel)
    }

    /// Reads the name of the firmware, and disables automatic polling for cards.
    func wake() throws(DeviceError) {
        let name = try version()
        guard name.starts(with: Array("ACR122".utf8)) else { throw .malformed(.acr122Answer, .unknownType) }
        _ = try exchange([0xFF, 0x00, 0x51, 0x7F, 0x00], time: .zero)
    }

    func perform(_ command: PN53xCommand, time: Duration) throws(DeviceError) -> Wiped {
        let data = [PN53xFrame.host] + command.bytes
        guard let length = UInt8(exactly: data.count) else { throw .rejected(.dataTooLong(maximum: 255)) }
        @Wiped var answer = try exchange([0xFF, 0x00, 0x00, 0x00, length] + data, time: time)
        var parts = 0
        while answer.count == 2, answer[0] == 0x61 {
            parts += 1
            guard parts <= Self.maximumParts else { throw .malformed(.acr122Answer, .tooManyParts) }
            answer = try exchange([0xFF, 0xC0, 0x00, 0x00, answer[1]], time: .zero)
        }
        guard answer.count >= 2 else { throw .malformed(.acr122Answer, .tooShort(answer.count)) }
        // 6300: the chip did not answer.
        guard answer.suffix(2) == [0x90, 0x00] else { throw .rejected(.commandFailed) }
        guard answer.count >= 4, answer[0] == PN53xFrame.chip, answer[1] == command.answerCode else {
            throw .malformed(.acr122Answer, .unexpected)
        }
        return _answer.dropping(first: 2, last: 2)
    }

    /// Nothing to do: CCID aborts a command by its sequence number.
    func abort() throws(DeviceError) {}

    func isConnected() -> Bool { true }

    private func version() throws(DeviceError) -> [UInt8] {
        let command: [UInt8] = [0xFF, 0x00, 0x48, 0x00, 0x00]
        do throws(DeviceError) {
            return try exchange(command, time: .zero)
        } catch .rejected, .malformed, .stalled {
            way = .transfer
            // The chip counts as the reader's card, and must be powered for this.
            _ = try answer(.powerOn(.automatic), time: .zero)
            return try exchange(command, time: .zero)
        } catch {
            throw error
        }
    }

    private func exchange(_ command: [UInt8], time: Duration) throws(DeviceError) -> [UInt8] {
        let answer =
            switch way {
            case .escape: try answer(.escape(command), time: time)
            case .transfer: try answer(.transfer(command, waitingTimes: 0, level: 0), time: time)
            }
        guard answer.result == .done else { throw .rejected(.commandFailed) }
        return answer.data
    }

    private func answer(_ command: CCIDCommand, time: Duration) throws(DeviceError) -> CCIDAnswer {
        try link.exchange(command, slot: 0, timeout: time + latency)
    }
}
