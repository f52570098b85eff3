import CFuzzer
import Modules
import Synchronization

@c(FuzzVPCD_main)
public func start(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
    run_fuzzer(count, arguments) { fuzz($0, $1) }
}

/// What a PC/SC service writes to the card that it has through vpcd. The card says the same however
/// the network divides it, and answers each message that has an answer once. The first byte says
/// how large the parts are.
private func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let start, count > 0 else { return 0 }
    let bytes = Array(UnsafeBufferPointer(start: start + 1, count: count - 1))
    let whole = served([bytes])
    let size = Int(start[0]) + 1
    let parts = stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min($0 + size, bytes.count)]) }
    let divided = served(parts)
    precondition(divided.error == whole.error)
    // After a failure the connection is closed: what the same part had before it is not sent.
    if whole.error == nil { precondition(divided.answers == whole.answers, "the parts of the network count") }
    precondition(whole.answers.starts(with: divided.answers) || whole.error != nil)
    if whole.error == nil { check(whole.answers, of: messages(bytes)) }
    return 0
}

/// A message that is a power control has no answer (vsmartcard's documentation, "Creating a virtual
/// smart card").
private func check(_ sent: [UInt8], of messages: [[UInt8]]) {
    let asked = messages.filter { $0.count > 1 || $0 == [4] }
    let answers = framed(sent)
    precondition(
        answers.used == sent.count && answers.messages.count == asked.count,
        "\(answers.messages.count) answers, \(asked.count) questions")
    for (question, answer) in zip(asked, answers.messages) {
        if question == [4] {
            precondition(answer == answerToReset)
        } else {
            precondition(answer.count >= 2, "an answer has a status word")
            guard let command = CommandAPDU(question) else {
                precondition(answer == [0x67, 0x00])
                continue
            }
            precondition(answer.count - 2 <= command.expectedLength ?? .max, "more than was asked for")
        }
    }
}

private func messages(_ bytes: [UInt8]) -> [[UInt8]] { framed(bytes).messages }

private func framed(_ bytes: [UInt8]) -> (messages: [[UInt8]], used: Int) {
    var (found, at): ([[UInt8]], Int) = ([], 0)
    while at + 2 <= bytes.count {
        let end = at + 2 + Int(bytes[at]) * 256 + Int(bytes[at + 1])
        guard end <= bytes.count else { break }
        found.append(Array(bytes[(at + 2)..<end]))
        at = end
    }
    return (found, at)
}

private func served(_ parts: [[UInt8]]) -> (answers: [UInt8], error: CardChannelError?) {
    let ended = Mutex<(answers: [UInt8], error: CardChannelError?)?>(nil)
    Task.immediate {
        var side = VPCDCardSide(answerToReset: answerToReset) { TalkingCard() }
        var answers: [UInt8] = []
        var failure: CardChannelError?
        do throws(CardChannelError) {
            for part in parts { answers += try await side.receive(part) }
        } catch {
            failure = error
        }
        ended.withLock { [answers, failure] in $0 = (answers, failure) }
    }
    // The card waits for nothing, so the immediate task has run to its end.
    guard let result = ended.withLock({ $0 }) else { preconditionFailure("the card is not done") }
    return result
}

private let answerToReset: [UInt8] = [0x3B, 0x80, 0x01, 0x81]

/// Says so much as the command's P1 and P2 ask for, and counts its commands; INS DF fails, INS DE
/// is silent, INS DD takes the card away.
private final class TalkingCard: CardChannel {
    private let commands = Mutex(UInt8(0))

    func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
        let number = commands.withLock { count in
            count &+= 1
            return count
        }
        switch command.ins {
        case 0xDF: throw .cancelled
        case 0xDE: throw .timedOut
        case 0xDD: throw .cardRemoved
        default: return ResponseAPDU([UInt8](repeating: number, count: Int(command.p1) * 256 + Int(command.p2)))
        }
    }
}
