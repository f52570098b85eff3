/// A channel that carries out what `61xx` and `6Cxx` ask for: GET RESPONSE, and the same command with the right length
/// (EMV Contact Interface Specification).
///
/// A warning (`62xx`, `63xx`) without the data of a command that has some and wants some is followed by GET RESPONSE too; the data come with the
/// warning (annex A7). A card that has none keeps its warning.
///
/// A card may ask at most ``maximumRounds`` times within one command; one that asks on gives its last status word to the caller, as any other failure.
public struct ProcedureByteHandling: CardChannel {
    /// Enough for 64 KiB in pieces of 256 bytes to be refused, and for every answer EMV knows to be collected.
    public static let maximumRounds = 8

    private let channel: any CardChannel

    public init(_ channel: any CardChannel) { self.channel = channel }

    public func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
        var current = command
        var collected: [UInt8] = []
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
                collected += response.data
                current = CommandAPDU(cla: 0x00, ins: 0xC0, expectedLength: available)
            case 0x6C:
                current.expectedLength = available
            default: return Self.answer(collected + response.data, response.status, warning)
            }
            response = try await channel.transmit(current)
        }
        return Self.answer(collected + response.data, response.status, warning)
    }

    private static func answer(_ data: [UInt8], _ status: StatusWord, _ warning: StatusWord?) -> ResponseAPDU {
        guard let warning, !status.isWarning else { return ResponseAPDU(data, status: status) }
        return ResponseAPDU(status == .success ? data : [], status: warning)
    }
}

extension CommandAPDU {
    /// Case 4 of ISO/IEC 7816-3, 12.1: data go out and data are expected.
    package var hasDataBothWays: Bool { !data.isEmpty && expectedLength != nil }
}
