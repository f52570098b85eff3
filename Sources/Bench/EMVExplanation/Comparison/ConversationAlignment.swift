/// Matches the commands of two logs: as many as possible, in the order of both.
///
/// The look-ahead is bounded, so that the time is linear in the length of the logs.
struct ConversationAlignment {
    private(set) var pairs: [(left: ComparedExchange?, right: ComparedExchange?)] = []

    /// In commands: more than a terminal skips or adds within one phase.
    private static let lookAhead = 64

    init(_ left: [ComparedExchange], _ right: [ComparedExchange]) {
        var (at, beside) = (0, 0)
        while at < left.count || beside < right.count {
            guard at < left.count, beside < right.count, let skipped = Self.nextMatch(left[at...], right[beside...])
            else {
                // No match nearby: one unmatched command of each, then continue.
                if at < left.count { pairs.append((left[at], nil)) }
                if beside < right.count { pairs.append((nil, right[beside])) }
                (at, beside) = (min(at + 1, left.count), min(beside + 1, right.count))
                continue
            }
            for exchange in left[at..<at + skipped.left] { pairs.append((exchange, nil)) }
            for exchange in right[beside..<beside + skipped.right] { pairs.append((nil, exchange)) }
            (at, beside) = (at + skipped.left, beside + skipped.right)
            pairs.append((left[at], right[beside]))
            (at, beside) = (at + 1, beside + 1)
        }
    }

    /// The number of commands in each log before the next match.
    private static func nextMatch(
        _ left: ArraySlice<ComparedExchange>, _ right: ArraySlice<ComparedExchange>
    ) -> (left: Int, right: Int)? {
        for distance in 0...lookAhead {
            for skipped in 0...distance where skipped < left.count && distance - skipped < right.count {
                if left[left.startIndex + skipped].key == right[right.startIndex + distance - skipped].key {
                    return (skipped, distance - skipped)
                }
            }
        }
        return nil
    }
}
