/// How often in a row cards of mag-stripe mode gave no codes (EMV Contactless Book C-2, "Failed MS Cntr"). The reader
/// waits longer after each failure, which slows down an attacker who collects codes for many unpredictable numbers.
package struct FailedChecksums: Sendable, Equatable {
    /// At most 5.
    package private(set) var count = 0

    package init() {}

    /// How long the reader waits after the next failure: 300 ms, and twice as long after each.
    package var pause: Duration { .milliseconds(300) * (1 << count) }

    package mutating func fail() { count = min(5, count + 1) }
    package mutating func succeed() { count = 0 }
}
