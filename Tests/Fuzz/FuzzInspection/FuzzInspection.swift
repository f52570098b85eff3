import CFuzzer
import Modules
import Synchronization

@c(FuzzInspection_main)
public func start(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
    run_fuzzer(count, arguments) { fuzz($0, $1) }
}

/// A card that answers with what the fuzzer made up is read to its end, and what is odd about it is
/// said.
private func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let card = InventedCard([UInt8](UnsafeBufferPointer(start: start, count: count)))
    let read = Mutex<CardImage?>(nil)
    Task.immediate {
        var image = CardImage(answerToReset: card.answerToReset)
        // A card that is gone is judged by what it has said.
        try? await image.read(card, names: names, terminal: DataElements())
        read.withLock { [image] in $0 = image }
    }
    // Nothing in the reading waits for anything, so the immediate task has run to its end.
    guard let image = read.withLock({ $0 }) else { fatalError("the reading waits for something") }
    precondition(card.commands <= 4096, "a card is read with a bounded number of commands")
    for finding in image.findings(CardImage.Circumstances(date: [0x26, 0x11, 0x22])) {
        precondition(!finding.summary.isEmpty)
    }
    return 0
}

private let names: [[UInt8]] = [[0xA0, 0x00, 0x00, 0x00, 0x03], [0xA0, 0x00, 0x00, 0x00, 0x04]]

/// Answers from one string of bytes: a length, then so many bytes. The first of them is the answer
/// to reset.
private final class InventedCard: CardChannel {
    let answerToReset: [UInt8]
    private let bytes: [UInt8]
    private let state = Mutex((at: 0, commands: 0))

    init(_ bytes: [UInt8]) {
        let end = min(bytes.count, 1 + Int(bytes.first ?? 0))
        answerToReset = Array(bytes[..<end].dropFirst())
        self.bytes = Array(bytes[end...])
    }

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
