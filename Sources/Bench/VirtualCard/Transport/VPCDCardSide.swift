public import SmartCard

/// The card's side of the protocol of vpcd, the virtual reader of the vsmartcard project, which
/// PC/SC services load as a driver.
///
/// A message is a length of two bytes, most significant first, and that many bytes. Messages of one
/// byte are controls: `00` power off, `01` power on, `02` reset, `04` get the answer to reset. All
/// others are commands, each answered by one message with the whole answer: there is no `61xx`, and
/// commands may be extended (vsmartcard's documentation, "Creating a virtual smart card").
public struct VPCDCardSide: Sendable {
    /// The maximum length of a message, without its length field.
    public static let longestMessage = 0xFFFF

    private enum Control: UInt8 {
        case powerOff = 0x00
        case powerOn = 0x01
        case reset = 0x02
        case answerToReset = 0x04
    }

    private let answerToReset: [UInt8]
    private let afterReset: @Sendable () async -> any CardChannel
    private var card: (any CardChannel)?
    private var received: [UInt8] = []

    /// - Parameters:
    ///   - answerToReset: The answer to reset of a T=1 card: from a T=0 card a reader would expect
    ///     `61xx`.
    ///   - afterReset: Returns the card in its state after a reset.
    public init(answerToReset: [UInt8], afterReset: @escaping @Sendable () async -> any CardChannel) {
        self.answerToReset = answerToReset
        self.afterReset = afterReset
    }

    /// Processes bytes from the reader, in parts of any length.
    ///
    /// - Returns: The bytes to send to it; may be empty.
    /// - Throws: `.cardRemoved` and `.timedOut` if the card does not answer. The protocol cannot
    ///   express either: close the connection, because the reader waits for an answer without a
    ///   time limit. Other failures are answered with SW `6F00`.
    public mutating func receive(_ bytes: [UInt8]) async throws(CardChannelError) -> [UInt8] {
        received += bytes
        var answers: [UInt8] = []
        while let message = takeMessage() {
            guard let answer = try await answer(message) else { continue }
            answers += [UInt8(truncatingIfNeeded: answer.count >> 8), UInt8(truncatingIfNeeded: answer.count)] + answer
        }
        return answers
    }

    private mutating func takeMessage() -> [UInt8]? {
        guard received.count >= 2 else { return nil }
        let end = 2 + Int(received[0]) << 8 + Int(received[1])
        guard received.count >= end else { return nil }
        defer { received.removeFirst(end) }
        return Array(received[2..<end])
    }

    /// Nil for messages without an answer.
    private mutating func answer(_ message: [UInt8]) async throws(CardChannelError) -> [UInt8]? {
        guard message.count > 1 else {
            switch message.first.flatMap(Control.init) {
            case .powerOff: card = nil
            case .powerOn, .reset: card = await afterReset()
            case .answerToReset: return answerToReset
            case nil: break
            }
            return nil
        }
        guard let command = CommandAPDU(message) else { return StatusWord.wrongLength.bytes }
        let channel: any CardChannel
        if let card { channel = card } else { channel = await afterReset() }
        card = channel
        do throws(CardChannelError) {
            let response = try await channel.transmit(command)
            return response.bytes.count <= Self.longestMessage ? response.bytes(fitting: command) : [0x6F, 0x00]
        } catch .cardRemoved {
            throw .cardRemoved
        } catch .timedOut {
            throw .timedOut
        } catch {
            return [0x6F, 0x00]
        }
    }
}
