import Console
import DeviceIO
import Foundation
import Synchronization

/// Inserts and removes a served card, while the card is served on another thread.
final class CardHand: Sendable {
    enum Move: Sendable {
        case insert
        case remove
    }

    /// Signalled when there is a move. The waiting thread reads the moves.
    let wake: WakeEvent
    /// The same moves for a task; the newest ones if no task takes them.
    let moves: AsyncStream<Move>
    private let queue: AsyncStream<Move>.Continuation
    private let waiting = Mutex<[Move]>([])

    init() throws(DeviceError) {
        wake = try WakeEvent()
        (moves, queue) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(16))
    }

    func move(_ move: Move) {
        waiting.withLock { $0.append(move) }
        queue.yield(move)
        wake.signal()
    }

    /// The moves since the last call, in order.
    func takeMoves() -> [Move] {
        wake.clear()
        return waiting.withLock { moves in
            defer { moves = [] }
            return moves
        }
    }

    /// Reads the lines "insert" and "remove" from standard input, on a separate thread, because
    /// reading blocks.
    func readStandardInput() {
        Thread.detachNewThread {
            while let line = readLine() {
                switch line {
                case "insert": self.move(.insert)
                case "remove": self.move(.remove)
                default: printError("\"\(line)\" is neither insert nor remove")
                }
            }
        }
    }
}
