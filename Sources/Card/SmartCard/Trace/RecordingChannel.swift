/// A channel that reports every exchange.
public struct RecordingChannel: CardChannel {
    private let channel: any CardChannel
    private let record: @Sendable (APDUTrace.Exchange) -> Void
    private let recordFailure: @Sendable (CommandAPDU, CardChannelError) -> Void

    /// - Parameter recordFailure: Called for a command without an answer, with the reason.
    public init(
        _ channel: any CardChannel,
        recordFailure: @escaping @Sendable (CommandAPDU, CardChannelError) -> Void = { _, _ in },
        record: @escaping @Sendable (APDUTrace.Exchange) -> Void
    ) {
        self.channel = channel
        self.record = record
        self.recordFailure = recordFailure
    }

    public func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
        do throws(CardChannelError) {
            let response = try await channel.transmit(command)
            record(APDUTrace.Exchange(command: command, response: response))
            return response
        } catch {
            recordFailure(command, error)
            throw error
        }
    }
}
