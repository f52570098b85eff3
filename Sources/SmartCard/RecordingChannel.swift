/// A channel that tells of every exchange that passes through it.
public struct RecordingChannel: CardChannel {
    private let channel: any CardChannel
    private let record: @Sendable (APDUTrace.Exchange) -> Void

    public init(_ channel: any CardChannel, record: @escaping @Sendable (APDUTrace.Exchange) -> Void) {
        self.channel = channel
        self.record = record
    }

    public func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
        let response = try await channel.transmit(command)
        record(APDUTrace.Exchange(command: command, response: response))
        return response
    }
}
