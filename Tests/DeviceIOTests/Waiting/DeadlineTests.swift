import Testing

@testable import DeviceIO

@Suite("Deadlines and what is left of them") struct DeadlineTests {
    @Test("a deadline in the past has passed") func passed() {
        #expect(Deadline.after(.zero).hasPassed)
        #expect(Deadline.after(.seconds(-1)).hasPassed)
        #expect(Deadline.after(.seconds(-1)).remaining == .zero)
        #expect(!Deadline.after(.seconds(3600)).hasPassed)
        #expect(!Deadline.never.hasPassed)
    }

    @Test("deadlines are ordered by time") func order() {
        #expect(Deadline.after(.seconds(1)) < Deadline.after(.seconds(2)))
        #expect(min(Deadline.never, .after(.seconds(1))) != .never)
        #expect(Deadline.after(.seconds(3600)).remaining > .seconds(3500))
        #expect(Deadline.after(.seconds(3600)).remaining <= .seconds(3600))
    }

    @Test("What is too far off for the clock is never, what is too long ago has passed") func overflow() {
        #expect(Deadline.after(.seconds(Int64.max)) == .never)
        #expect(Deadline.after(.seconds(Int64.max / 1_000_000_000)) == .never)
        #expect(Deadline.after(.seconds(Int64.min)).hasPassed)
        #expect(Deadline.never.remaining == .seconds(Int64.max))
    }
}
