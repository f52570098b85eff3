/// Makes the draws of a run with a finding fewer and milder, as long as the finding stays.
struct Shrinker {
    private(set) var values: [[UInt64]]
    private(set) var runs = 0
    private let kind: Violation.Kind
    private let force: [Fault: UInt64]
    private let maximumRuns: Int

    /// - Parameter maximumRuns: After so many it ends with what it has.
    init(_ values: [[UInt64]], _ kind: Violation.Kind, force: [Fault: UInt64], maximumRuns: Int) {
        self.values = values.map { Self.trimmed($0) }
        self.kind = kind
        self.force = force
        self.maximumRuns = maximumRuns
    }

    mutating func shrink() {
        var before: [Int]
        repeat {
            before = weight
            for stream in values.indices {
                attempt(stream, [])
                delete(stream)
                zero(stream)
                lower(stream)
            }
        } while weight != before && runs < maximumRuns
    }

    private var weight: [Int] { values.map(\.count) + values.map { stream in stream.count { $0 > 0 } } }

    /// What is past the end is 0 all the same.
    private static func trimmed(_ values: [UInt64]) -> [UInt64] {
        var values = values
        while values.last == 0 { values.removeLast() }
        return values
    }

    /// Keeps `candidate` if the finding is still there.
    @discardableResult
    private mutating func attempt(_ stream: Int, _ candidate: [UInt64]) -> Bool {
        let candidate = Self.trimmed(candidate)
        guard runs < maximumRuns, candidate != values[stream] else { return false }
        runs += 1
        var all = values
        all[stream] = candidate
        guard Simulator.run(draws: Draws(given: all), force: force).violations.contains(where: { $0.kind == kind })
        else { return false }
        values = all
        return true
    }

    private mutating func delete(_ stream: Int) {
        var size = max(1, values[stream].count / 2)
        while size > 0 {
            var start = 0
            while start < values[stream].count {
                var candidate = values[stream]
                candidate.removeSubrange(start..<min(start + size, candidate.count))
                if !attempt(stream, candidate) { start += size }
            }
            size /= 2
        }
    }

    private mutating func zero(_ stream: Int) {
        var size = max(1, values[stream].count / 2)
        while size > 0 {
            for start in stride(from: 0, to: values[stream].count, by: size) where start < values[stream].count {
                var candidate = values[stream]
                for index in start..<min(start + size, candidate.count) { candidate[index] = 0 }
                attempt(stream, candidate)
            }
            size /= 2
        }
    }

    private mutating func lower(_ stream: Int) {
        for index in values[stream].indices where index < values[stream].count && values[stream][index] > 1 {
            var candidate = values[stream]
            candidate[index] /= 2
            attempt(stream, candidate)
        }
    }
}
