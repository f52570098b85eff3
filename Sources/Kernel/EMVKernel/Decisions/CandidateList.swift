/// Matches applications, and orders the matches (EMV 4.4 Book 1, 12.3.1 and 12.4).
package enum CandidateList {
    /// The index of the first terminal application that matches the card application `name`.
    package static func match(_ name: [UInt8], in applications: [ApplicationConfiguration]) -> Int? {
        applications.firstIndex { $0.aid == name || ($0.matchesPartially && name.starts(with: $0.aid)) }
    }

    /// Highest priority first; those without priority last, in their original order.
    static func ordered(_ candidates: [Candidate]) -> [Candidate] {
        guard candidates.count > 1 else { return candidates }
        let byPriority = candidates.enumerated().sorted { left, right in
            (left.element.priority ?? 16, left.offset) < (right.element.priority ?? 16, right.offset)
        }
        return byPriority.map(\.element)
    }
}
