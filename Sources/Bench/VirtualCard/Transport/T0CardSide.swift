public import SmartCard

/// The card's side of T=0, for a card that processes whole commands: it keeps an answer until GET
/// RESPONSE reads it, and returns `61xx` and `6Cxx` like contact cards (ISO/IEC 7816-3:2006, 12.2).
public struct T0CardSide: Sendable {
    private let card: any CardChannel
    private var kept: ResponseAPDU?

    public init(_ card: any CardChannel) { self.card = card }

    /// - Parameter command: CLA INS P1 P2 P3, and P3 bytes of data if the command has data.
    /// - Returns: The data, if any, and the status word.
    public mutating func answer(_ command: [UInt8]) async throws(CardChannelError) -> [UInt8] {
        guard command.count >= 5, command.count == 5 || command.count == 5 + Int(command[4]) else {
            return StatusWord.wrongLength.bytes
        }
        let isGetResponse = command[1] == 0xC0 && command.count == 5
        if isGetResponse, let response = kept {
            return deliver(response, expected: command[4], announces: true)
        }
        kept = nil
        let hasData = command.count > 5
        let whole = CommandAPDU(
            cla: command[0], ins: command[1], p1: command[2], p2: command[3], data: Array(command.dropFirst(5)),
            expectedLength: 256)
        let response = try await card.transmit(whole)
        guard !response.data.isEmpty else { return response.status.bytes }
        kept = response
        return hasData
            ? [0x61, UInt8(truncatingIfNeeded: response.data.count)]
            : deliver(response, expected: command[4], announces: false)
    }

    /// The requested part of the data with the status, `61xx` if there are more, or `6Cxx` for a
    /// wrong length.
    private mutating func deliver(_ response: ResponseAPDU, expected: UInt8, announces: Bool) -> [UInt8] {
        let expectedCount = expected == 0 ? 256 : Int(expected)
        if expectedCount == response.data.count || (announces && expectedCount > response.data.count) {
            kept = nil
            return response.bytes
        }
        guard announces, expectedCount < response.data.count else {
            return [0x6C, UInt8(truncatingIfNeeded: response.data.count)]
        }
        kept = ResponseAPDU(Array(response.data.dropFirst(expectedCount)), status: response.status)
        return response.data.prefix(expectedCount) + [
            0x61, UInt8(truncatingIfNeeded: response.data.count - expectedCount),
        ]
    }
}

extension StatusWord {
    var bytes: [UInt8] { [sw1, sw2] }
}
