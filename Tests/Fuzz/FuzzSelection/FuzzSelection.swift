import CFuzzer
import Modules
import Synchronization

@c(FuzzSelection_main)
public func start(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
    run_fuzzer(count, arguments) { fuzz($0, $1) }
}

/// A card that answers SELECT and READ RECORD with what the fuzzer made up, and refuses every
/// application that it is asked to start: the terminal goes through the directory, the list of AIDs
/// and each candidate once, and comes to an end.
private func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let card = RefusingCard([UInt8](UnsafeBufferPointer(start: start, count: count)))
    let ended = Mutex<Outcome.Decision?>(nil)
    Task.immediate {
        let outcome = await kernel.perform(
            TransactionRequest(amount: 1234, currencyCode: 978, date: [0x26, 0x11, 0x21], time: [0x12, 0, 0]),
            card: card,
            cardholder: Undecided(), issuer: FixedIssuer.unreachable,
            environment: FixedEnvironment(number: [1, 2, 3, 4], percentage: 50),
            observe: check)
        ended.withLock { $0 = outcome.decision }
    }
    // Nothing in the transaction waits for anything, so the immediate task has run to its end.
    guard case .terminated = ended.withLock({ $0 }) else { preconditionFailure("no application starts") }
    // The PSE and its directory, each AID and what SELECT next finds, and for each candidate SELECT
    // and GET PROCESSING OPTIONS.
    let most =
        1 + ContactKernel.maximumRecords + 2 * (ContactKernel.maximumCandidates + 1) + 2
        * ContactKernel.maximumCandidates
    precondition(card.commands <= most, "\(card.commands) commands")
    return 0
}

private func check(_ event: KernelEvent) {
    guard case .candidatesFound(let candidates) = event else { return }
    precondition(candidates.count <= ContactKernel.maximumCandidates)
    precondition(Set(candidates.map(\.name)).count == candidates.count, "no name is offered twice")
    for candidate in candidates {
        precondition((5...16).contains(candidate.name.count))
        precondition(!candidate.description.unicodeScalars.contains { $0.properties.generalCategory == .control })
    }
}

private let kernel = ContactKernel(
    TerminalConfiguration(
        capabilities: [.contactChip, .signature, .noCVM], additionalCapabilities: [.goods], countryCode: 276,
        applications: [
            ApplicationConfiguration(aid: [0xA0, 0x00, 0x00, 0x00, 0x03], versions: [0x0096]),
            ApplicationConfiguration(
                aid: [0xA0, 0x00, 0x00, 0x00, 0x04, 0x10, 0x10], matchesPartially: false, versions: [0x0002]),
        ], caKeys: [], languages: ["en", "de"].compactMap { Language($0) }))

/// Answers from one string of bytes: a length, then so many bytes. After the last one they repeat,
/// so that a short input never ends.
private final class RefusingCard: CardChannel {
    private let bytes: [UInt8]
    private let state = Mutex((at: 0, commands: 0))

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var commands: Int { state.withLock { $0.commands } }

    func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
        let answer: [UInt8] = state.withLock { state in
            state.commands += 1
            guard command.instruction == .select || command.instruction == .readRecord, !bytes.isEmpty else {
                return [0x69, 0x85]
            }
            if state.at >= bytes.count { state.at = 0 }
            let end = min(bytes.count, state.at + 1 + Int(bytes[state.at]))
            defer { state.at = end }
            return Array(bytes[(state.at + 1)..<end])
        }
        return ResponseAPDU(bytes: answer) ?? ResponseAPDU(status: .fileNotFound)
    }
}

private struct Undecided: Cardholder {
    var pinPad: (any PINPad)? { nil }
    func chooseApplication(_ candidates: [Candidate]) async -> Int? { candidates.count - 1 }
}
