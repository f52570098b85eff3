/// How many cards in a row returned no codes in mag-stripe mode (EMV Contactless Book C-2, "Failed
/// MS Cntr"). The reader waits longer after each failure, which slows down an attacker who collects
/// codes for many unpredictable numbers.
package struct FailedChecksums: Sendable, Equatable {
    /// At most 5.
    package private(set) var count = 0

    package init() {}

    /// How long the reader waits after the next failure: 300 ms, doubled by each failure.
    package var pause: Duration { .milliseconds(300) * (1 << count) }

    package mutating func fail() { count = min(5, count + 1) }
    package mutating func succeed() { count = 0 }
}
