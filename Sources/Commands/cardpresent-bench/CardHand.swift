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
    private let moves = Mutex<[Move]>([])

    init() throws(DeviceError) { wake = try WakeEvent() }

    func move(_ move: Move) {
        moves.withLock { $0.append(move) }
        wake.signal()
    }

    /// The moves since the last call, in order.
    func takeMoves() -> [Move] {
        wake.clear()
        return moves.withLock { moves in
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
