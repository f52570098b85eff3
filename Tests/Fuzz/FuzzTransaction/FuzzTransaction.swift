import CFuzzer
import Modules
import Synchronization

@c(FuzzTransaction_main)
public func start(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
    run_fuzzer(count, arguments) { fuzz($0, $1) }
}

/// A card that answers with what the fuzzer made up: each transaction ends, in a bounded number of
/// commands.
private func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let card = InventedCard([UInt8](UnsafeBufferPointer(start: start, count: count)))
    let done = Atomic(false)
    Task.immediate {
        _ = await kernel.perform(
            TransactionRequest(amount: 1234, currencyCode: 978, date: [0x26, 0x11, 0x21], time: [0x12, 0, 0]),
            card: card,
            cardholder: FirstChoice(), issuer: FixedIssuer.approving,
            environment: FixedEnvironment(number: [1, 2, 3, 4], percentage: 50))
        done.store(true, ordering: .releasing)
    }
    // Nothing in the transaction waits for anything, so the immediate task has run to its end.
    precondition(done.load(ordering: .acquiring))
    precondition(card.commands <= 400, "a transaction has no more commands than its limits allow")
    return 0
}

private let kernel = ContactKernel(
    TerminalConfiguration(
        capabilities: [.contactChip, .signature, .noCVM, .sda, .dda, .cda], additionalCapabilities: [.goods],
        countryCode: 276,
        applications: [
            ApplicationConfiguration(aid: [0xA0, 0x00, 0x00, 0x00, 0x03], versions: [0x0096]),
            ApplicationConfiguration(aid: [0xA0, 0x00, 0x00, 0x00, 0x04], versions: [0x0002]),
        ], caKeys: []))

/// Answers from one string of bytes: a length, then so many bytes.
private final class InventedCard: CardChannel {
    private let bytes: [UInt8]
    private let state = Mutex((at: 0, commands: 0))

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var commands: Int { state.withLock { $0.commands } }

    func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
        let answer: [UInt8] = state.withLock { state in
            state.commands += 1
            guard state.at < bytes.count else { return [] }
            let end = min(bytes.count, state.at + 1 + Int(bytes[state.at]))
            defer { state.at = end }
            return Array(bytes[(state.at + 1)..<end])
        }
        guard let response = ResponseAPDU(bytes: answer) else { throw .cardRemoved }
        return response
    }
}
