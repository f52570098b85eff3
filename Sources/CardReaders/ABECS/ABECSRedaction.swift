package import DeviceIO
private import Synchronization

/// What of an ABECS PIN pad's line may be shown in a recording.
package enum ABECSRedaction {
    /// Commands whose blocks hold nothing of a card or a PIN.
    private static let open: Set<String> = ["OPN", "CLO", "CLX", "GIX", "GIN", "DSP", "DEX", "MNU", "RMC", "NTM", "ERR"]

    /// For one recording: it follows the packets of both directions, however they are cut. Of a packet that may hold card data, its beginning with the
    /// command and the status is shown, and its end without the check.
    package static func redaction() -> WireRecorder.Redaction {
        let positions = Mutex<[WireEvent.Direction: Position]>([:])
        return { direction, _, bytes in
            positions.withLock { positions in
                var position = positions[direction] ?? Position()
                defer { positions[direction] = position }
                return bytes.indices.filter { position.hides(bytes[$0], direction) }.map { $0..<($0 + 1) }
            }
        }
    }

    /// Where in a packet a direction is.
    private struct Position {
        /// Bytes since the packet's start; nil outside.
        private var count: Int?
        private var id: [UInt8] = []
        /// Bytes of the check that are still to come.
        private var check = 0
        private var isOpen: Bool { ABECSRedaction.open.contains(String(decoding: id, as: UTF8.self)) }

        mutating func hides(_ byte: UInt8, _ direction: WireEvent.Direction) -> Bool {
            if check > 0 {
                check -= 1
                return !isOpen
            }
            if byte == ABECSFrame.start {
                (count, id) = (0, [])
                return false
            }
            guard let place = count else { return ABECSFrame.Control(rawValue: byte) == nil }
            if byte == ABECSFrame.end {
                (count, check) = (nil, 2)
                return false
            }
            count = place + 1
            if place < 3 { id.append(byte) }
            // The letters, and the status of an answer; a command's first length is no secret either.
            return place >= 6 && !isOpen
        }
    }
}
