// Every public protocol of the library, as a package implements it that has no upcoming feature of
// the compiler on and names each type itself. tools/checks/strangers compiles this folder; nothing
// runs it.

import CardPresent
import EMVKernel
import SmartCard

struct StrangersReader: CardReader {
    let name = "reader"
    let capabilities: ReaderCapabilities = [.magneticStripe]
    let events = ReaderEvents()

    func capture(
        _ request: CaptureRequest, authorize: @escaping @Sendable (CapturedCard) async -> IssuerAnswer
    ) async throws(CaptureError) -> CaptureOutcome {
        throw .noCardPresented
    }
}

actor StrangersActorReader: CardReader {
    nonisolated let name = "reader"
    nonisolated let capabilities: ReaderCapabilities = [.contactChip]
    nonisolated let events = ReaderEvents()

    func capture(_ request: CaptureRequest, authorize: @escaping Authorize) async throws(CaptureError) -> CaptureOutcome
    {
        throw .noCardPresented
    }
}

struct StrangersSlot: CardSlot {
    let name = "slot"
    let capabilities: ReaderCapabilities = [.contactChip]
    let events = ReaderEvents()

    func powerOn() async throws(CaptureError) -> any CardChannel { StrangersChannel() }
    func powerOff() async {}
}

struct StrangersChannel: CardChannel {
    func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU { throw .cardRemoved }
}

struct StrangersStripe: MagstripeSlot {
    let name = "stripe"
    let capabilities: ReaderCapabilities = [.magneticStripe]
    let events = ReaderEvents()

    func swipe() async throws(CaptureError) -> CapturedSwipe { throw .noCardPresented }
}

struct StrangersPINPad: PINPad {
    func enterOnlinePIN(pan: SecretBytes, amount: UInt64, currencyCode: UInt16) async -> OnlinePINEntry { .cancelled }
    func verifyOfflinePIN(
        _ form: OfflinePINForm, triesLeft: UInt8?, card: any CardChannel
    ) async throws(CardChannelError) -> OfflinePINEntry {
        .cancelled
    }
}

struct StrangersCardholder: Cardholder {
    var pinPad: (any PINPad)? { StrangersPINPad() }
    func chooseApplication(_ candidates: [Candidate]) async -> Int? { 0 }
}

struct StrangersIssuer: OnlineAuthorizer {
    func authorize(_ request: OnlineRequest) async -> OnlineAnswer { .unableToGoOnline }
}

final class StrangersListener: TerminalListener {
    func onMessage(_ message: String, _ context: TerminalEvent.Context) async {}
    func onSaleResponse(_ response: PaymentResponse, _ context: TerminalEvent.Context) async {}
}
