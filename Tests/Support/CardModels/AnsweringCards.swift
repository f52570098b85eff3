public import SmartCard
private import Synchronization

/// A card that answers each command with its data.
public struct EchoCard: CardChannel {
    public init() {}

    public func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
        ResponseAPDU(command.data)
    }
}

/// A card that answers each command with 9000.
public struct ConsentingCard: CardChannel {
    public init() {}

    public func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
        ResponseAPDU(status: .success)
    }
}

/// A card that keeps the commands that it receives.
public final class WatchedCard: CardChannel {
    private let card: any CardChannel
    private let received = Mutex<[CommandAPDU]>([])

    public init(_ card: any CardChannel) { self.card = card }

    public var commands: [CommandAPDU] { received.withLock(\.self) }

    public func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
        received.withLock { $0.append(command) }
        return try await card.transmit(command)
    }
}

/// A card that declines at the first GENERATE AC with a CID that requests an advice (EMV 4.4 Book
/// 3, table 15).
public struct AdvisingCard: CardChannel {
    private let card: any CardChannel

    public init(_ card: any CardChannel) { self.card = card }

    public func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
        guard command.ins == 0xAE else { return try await card.transmit(command) }
        // Format 1: CID with AAC and bit 4, ATC, cryptogram (Book 3, table 14).
        return ResponseAPDU([0x80, 0x0B, 0x08, 0, 1, 1, 2, 3, 4, 5, 6, 7, 8])
    }
}
