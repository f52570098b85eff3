/// What can go wrong.
package enum Fault: String, CaseIterable, Codable, Sendable {
    // The line
    case refused, partition, requestLost, answerLost, answerLate, doubled, slow, unavailable, notGenuine, strayStatus, silentForOne,
        otherAmount
    // The disk
    case readFails, writeFails, writeShort, diskFull, syncLost, powerCut, lyingDisk
    // The process
    case death, restart, cancelledTask, cancelCall, clockJump, keyRotation, fileReader, restore, markLost, damagedRow, rot, deafHostClient
    // The reader and the card
    case cardRemoved, noCard, readerFails, readerHangs, readerLate, cardDeclines, readerSlow
}

/// Which faults exist in a run at all, and how often each comes: a run with a few of them goes deeper than one with all.
struct Swarm {
    /// In 256.
    private var rates: [Fault: UInt64] = [:]

    /// No fault.
    init() {}

    init(_ draw: (StaticString, UInt64) -> UInt64) {
        guard draw("any faults", 20) > 0 else { return }
        for fault in Fault.allCases where fault != .lyingDisk {
            guard draw("fault exists", 5) >= 3 else { continue }
            rates[fault] = [4, 16, 64][Int(draw("fault rate", 3))]
        }
    }

    func rate(_ fault: Fault) -> UInt64 { rates[fault] ?? 0 }
    func exists(_ fault: Fault) -> Bool { rates[fault] != nil }
    mutating func set(_ fault: Fault, _ rate: UInt64) { rates[fault] = rate == 0 ? nil : rate }
    var kinds: [Fault] { Fault.allCases.filter { exists($0) } }
}
