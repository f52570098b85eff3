import Bytes
import DeviceIO
import MagneticStripe
import SmartCard

/// The card in the PIN pad's slot: APDUs through CHP (ABECS 2.12, 3.3.2).
struct ABECSCard: CardChannel {
    /// CHP carries at most 260 bytes.
    private static let longestCommand = 260

    let reader: ABECSReader
    let activation: Int
    let answerToReset: [UInt8]

    func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
        let bytes = command.bytes
        guard bytes.count <= Self.longestCommand, (command.expectedLength ?? 0) <= 256 else {
            throw .readerFailed(.shortCommandsOnly)
        }
        return try await reader.exchange(.chip(.exchange(bytes)), activation)
    }
}

extension ABECSReader {
    /// - Parameter activation: The activation of the channel that the command belongs to; nil for
    ///   the card in the slot.
    nonisolated func exchange(_ command: ABECSCommand, _ activation: Int? = nil) async throws(CardChannelError)
        -> ResponseAPDU
    {
        try await claim.perform(orElse: DeviceClaim.channelRefusal) { cancellation async throws(CardChannelError) in
            try await self.exchange(command, activation, cancellation)
        }
    }

    private func exchange(
        _ command: ABECSCommand, _ activation: Int?, _ cancellation: Cancellation
    ) throws(CardChannelError) -> ResponseAPDU {
        let answer: ABECSAnswer?
        do throws(DeviceError) {
            answer = try line.attempt(cancellation) { link throws(DeviceError) in
                guard activation.map({ $0 == self.line.activation }) ?? true else { return nil }
                return try link.perform(command, by: .after(self.timing.card), notify: self.show)
            }
        } catch {
            throw CardChannelError(error)
        }
        guard let answer else { throw .cardRemoved }
        switch answer.status {
        case .ok: break
        case .noCard: throw .cardRemoved
        case .muteCard: throw .timedOut
        case .cardError: throw .malformedAnswer(.notReceived)
        case .cancelled: throw .cancelled
        default: throw .readerFailed(.driver(answer.status))
        }
        guard let bytes = ABECSChipAnswer(answer)?.bytes, let response = ResponseAPDU(bytes: bytes) else {
            throw .malformedAnswer(.notReceived)
        }
        return response
    }
}

/// An operation of CHP on the card in the main slot.
enum ABECSChipOperation {
    case powerOff
    case powerOn
    case exchange([UInt8])
    /// Asks for a PIN and sends it in a VERIFY with this header, as a block of format 2.
    case verifyPIN(header: [UInt8], message: [String])
}

extension ABECSCommand {
    static func chip(_ operation: ABECSChipOperation) -> ABECSCommand {
        let block: [UInt8]
        switch operation {
        case .powerOff: block = Array("00000".utf8)
        case .powerOn: block = Array("01000".utf8)
        case .exchange(let command): block = Array("02".utf8) + decimal(command.count, 3) + Array(command.hex.utf8)
        case .verifyPIN(let header, let lines):
            block =
                Array("03".utf8) + decimal(header.count, 3) + Array(header.hex.utf8) + Array("1".utf8) + message(lines)
        }
        return ABECSCommand("CHP", blocks: [block])
    }
}

/// The bytes in the answer to CHP: a length in three digits, then as many bytes in hexadecimal.
struct ABECSChipAnswer {
    let bytes: [UInt8]

    init?(_ answer: ABECSAnswer) {
        guard let block = answer.blocks.first, block.count >= 3,
            let length = Int(String(decoding: block.prefix(3), as: UTF8.self)),
            block.count == 3 + 2 * length,
            let bytes = try? [UInt8](hex: String(decoding: block.dropFirst(3), as: UTF8.self)),
            bytes.count == length
        else { return nil }
        self.bytes = bytes
    }
}

extension Swipe {
    /// The clear tracks of an answer to GTK, without sentinels: track 1 in ASCII, the others with a
    /// half byte for each character and `F` after the last (ABECS 2.12, 3.1.3.2 and 3.3.12).
    /// Missing tracks could not be read.
    /// - Returns: Nil if the data are not tracks.
    init?(_ answer: ABECSAnswer) {
        guard let parameters = answer.parameters else { return nil }
        self.init()
        for parameter in parameters {
            switch ABECSParameter.ID(rawValue: parameter.id) {
            case .track1: track1 = Self.reading(parameter.value, .alphanumeric)
            case .track2: track2 = Self.reading(Self.unpacked(parameter.value), .numeric)
            case .track3: track3 = Self.reading(Self.unpacked(parameter.value), .numeric)
            default: break
            }
        }
    }

    private static func unpacked(_ packed: [UInt8]) -> [UInt8] {
        var characters = packed.flatMap { [0x30 + ($0 >> 4), 0x30 + ($0 & 0x0F)] }
        while characters.last == 0x3F { characters.removeLast() }
        return characters
    }

    private static func reading(_ characters: [UInt8], _ code: CharacterCode) -> TrackReading {
        var characters = characters
        defer { wipe(&characters) }
        if characters.first == code.startSentinel { characters.removeFirst() }
        if characters.last == code.endSentinel { characters.removeLast() }
        guard !characters.isEmpty else { return .blank }
        // Characters outside the set mean that the track is encrypted or not a track.
        guard characters.allSatisfy({ code.code(for: $0) != nil }) else { return .failed(.saidByReader) }
        return .read(TrackText(SecretBytes(wiping: &characters), code: code), .forward)
    }
}
