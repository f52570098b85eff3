package import DeviceIO
private import Synchronization

/// Decides which bytes of an ABECS PIN pad's line a recording may show.
package enum ABECSRedaction {
    /// Commands whose blocks contain no card data and no PIN.
    private static let open: Set<String> = ["OPN", "CLO", "CLX", "GIX", "GIN", "DSP", "DEX", "MNU", "RMC", "NTM", "ERR"]

    /// For one recording: it follows the packets of both directions, however reads and writes split
    /// them. If a packet may contain card data, only its beginning with command and status, and its
    /// end byte without the checksum, are shown.
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

    /// The position of a direction within its packet.
    private struct Position {
        /// Bytes since the packet's start; nil outside.
        private var count: Int?
        private var id: [UInt8] = []
        /// Remaining bytes of the checksum.
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
            // The letters and the status of an answer are shown, and the first length of a command.
            return place >= 6 && !isOpen
        }
    }
}
