/// A server's state for authenticated senders: request rates and earlier replies.
package struct Senders<Reply: Sendable>: Sendable {
    private let rate: RateLimit
    private let marked = MarkedReplies<Reply>()

    /// - Parameter rate: Of one sender; nil for no limit.
    package init(rate: ServerLimits.Rate?) { self.rate = RateLimit(rate) }

    /// Counts one action; returns whether it is within the rate.
    package func count(_ sender: String) -> Bool { rate.count(sender) }

    /// - Parameters:
    ///   - digest: The SHA-256 of all that the request asks for.
    ///   - sender: The authenticated sender.
    ///   - mark: The client's mark, which identifies copies of the request; nil if there is none.
    ///   - tooMany: The reply beyond the rate: the request is not executed.
    package func reply(
        to digest: @autoclosure () -> [UInt8], from sender: String, mark: String?, tooMany: Reply,
        _ make: @Sendable () async -> Reply
    ) async -> Reply {
        // A copy of a request is answered like the request, also beyond the rate: "too many
        // requests" says that it was not executed.
        guard let mark else { return rate.count(sender) ? await make() : tooMany }
        return await marked.reply(to: digest(), from: sender, mark: mark) {
            rate.count(sender) ? await make() : tooMany
        }
    }
}
