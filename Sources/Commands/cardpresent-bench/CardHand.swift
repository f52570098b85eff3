import Console
import DeviceIO
import Foundation
import Synchronization

/// The hand that puts a served card in and takes it out, while the card is served on another thread.
final class CardHand: Sendable {
    enum Move: Sendable {
        case insert
        case remove
    }

    /// Signalled when there is a move to make. The thread that waits reads the moves.
    let wake: WakeEvent
    private let moves = Mutex<[Move]>([])

    init() throws(DeviceError) { wake = try WakeEvent() }

    func move(_ move: Move) {
        moves.withLock { $0.append(move) }
        wake.signal()
    }

    /// What was asked for since the last call, in its order.
    func takeMoves() -> [Move] {
        wake.clear()
        return moves.withLock { moves in
            defer { moves = [] }
            return moves
        }
    }

    /// Takes the lines "insert" and "remove" from standard input, on a thread of its own: lines may be long in coming.
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
