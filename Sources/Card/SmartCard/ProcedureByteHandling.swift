/// A channel that handles `61xx` and `6Cxx`: it sends GET RESPONSE, or the same command with the
/// right length (EMV Contact Interface Specification).
///
/// After a warning (`62xx`, `63xx`) without data to a case 4 command it sends GET RESPONSE too, and
/// returns the data with the warning (annex A7). If the card has no data, the warning is the
/// answer.
///
/// A card may request this at most ``maximumRounds`` times within one command. After that the
/// caller gets the last status word, as after any other failure.
public struct ProcedureByteHandling: CardChannel {
    /// Too few for 64 KiB in parts of 256 bytes, but enough for every answer in EMV.
    public static let maximumRounds = 8

    private let channel: any CardChannel

    public init(_ channel: any CardChannel) { self.channel = channel }

    public func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
        var current = command
        var collected = ResponseAPDU()
        var response = try await channel.transmit(command)
        var warning: StatusWord?
        if response.status.isWarning, response.data.isEmpty, command.hasDataBothWays {
            warning = response.status
            current = CommandAPDU(cla: 0x00, ins: 0xC0, expectedLength: 256)
            response = try await channel.transmit(current)
        }
        for _ in 0..<Self.maximumRounds {
            let available = response.status.sw2 == 0 ? 256 : Int(response.status.sw2)
            switch response.status.sw1 {
            case 0x61:
                collected.append(response)
                current = CommandAPDU(cla: 0x00, ins: 0xC0, expectedLength: available)
            case 0x6C:
                current.expectedLength = available
            default:
                collected.append(response)
                return Self.answer(collected, warning)
            }
            response = try await channel.transmit(current)
        }
        collected.append(response)
        return Self.answer(collected, warning)
    }

    private static func answer(_ answer: ResponseAPDU, _ warning: StatusWord?) -> ResponseAPDU {
        guard let warning, !answer.status.isWarning else { return answer }
        guard answer.status == .success else { return ResponseAPDU(status: warning) }
        var warned = answer
        warned.status = warning
        return warned
    }
}

extension CommandAPDU {
    /// Case 4 of ISO/IEC 7816-3, 12.1: the command has data and expects data.
    package var hasDataBothWays: Bool { !data.isEmpty && expectedLength != nil }
}
