import Printing

/// Finds real-time commands in everything that a printer receives, also inside pictures: printers
/// act on them before they know what the bytes around them are.
struct RealTimeScanner: Sendable {
    enum Command: Equatable {
        /// `DLE EOT n`.
        case status(UInt8)
        /// `DLE ENQ n`.
        case recover(UInt8)
        /// `DLE DC4 1 m t`.
        case pulse(UInt8)
    }

    private var tail: [UInt8] = []

    mutating func scan(_ bytes: [UInt8]) -> [Command] {
        var found: [Command] = []
        for byte in bytes {
            tail.append(byte)
            if tail.count > 5 { tail.removeFirst() }
            let last = Array(tail.suffix(3))
            if last.count == 3, last[0] == 0x10, last[1] == 0x04, (1...4).contains(last[2]) {
                found.append(.status(last[2]))
            } else if last.count == 3, last[0] == 0x10, last[1] == 0x05, (1...2).contains(last[2]) {
                found.append(.recover(last[2]))
            } else if tail.count == 5, tail[0] == 0x10, tail[1] == 0x14, tail[2] == 1, tail[3] < 2,
                (1...8).contains(tail[4])
            {
                found.append(.pulse(tail[3]))
            }
        }
        return found
    }
}

extension SimulatedPrinter {
    mutating func act(_ command: RealTimeScanner.Command) {
        switch command {
        case .status(let request): answers.append(realTimeStatus(request))
        case .recover: faults.remove(.recoverable)
        case .pulse(let pin): pulse(drive: Int(pin) + 1, isRealTime: true)
        }
    }
}
