/// What happened in a run, as a hash and, where somebody wants to read it, in words.
struct Trace {
    private(set) var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    private(set) var steps = 0
    private(set) var lines: [String] = []
    let isKept: Bool
    /// The hash after each step, where somebody wants to find the first step that differs.
    private(set) var hashes: [UInt64] = []
    let keepsHashes: Bool

    init(isKept: Bool = false, keepsHashes: Bool = false) {
        self.isKept = isKept
        self.keepsHashes = keepsHashes
    }

    mutating func mix(_ value: UInt64) {
        hash = (hash ^ value) &* 0x0000_0100_0000_01B3
        hash ^= hash >> 29
    }

    mutating func mix(_ text: String) {
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    }

    /// A line that is not part of the hash: what somebody wants to see beside the rest.
    mutating func remark(_ now: Int64, _ summary: @autoclosure () -> String) {
        if isKept { lines.append("\(Self.seconds(now)) #\(steps) \(summary())") }
    }

    mutating func step() {
        steps += 1
        if keepsHashes { hashes.append(hash) }
    }

    /// - Parameter summary: Neither sealed bytes nor addresses: they would differ each time.
    mutating func note(_ now: Int64, _ summary: @autoclosure () -> String) {
        let summary = summary()
        mix(summary)
        guard isKept else { return }
        lines.append("\(Self.seconds(now)) #\(steps) \(summary)")
    }

    private static func seconds(_ nanoseconds: Int64) -> String {
        let milliseconds = nanoseconds / 1_000_000
        let (whole, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
        return "\(whole)." + String(String(rest + 1000).dropFirst())
    }
}
