/// The server's state for authenticated senders: request rates and earlier replies.
struct Senders: Sendable {
    let rate: RateLimit
    private let marked = MarkedReplies()

    init(rate: ServerLimits.Rate?) { self.rate = RateLimit(rate) }

    /// - Parameter sender: the authenticated sender.
    func reply(
        to request: HostRequest, from sender: String, _ make: @Sendable () async -> HostReply
    ) async -> HostReply {
        // A copy of a request is answered like the request, also beyond the rate: "too many
        // requests" says that it was not executed.
        guard let mark = request.mark else { return rate.count(sender) ? await make() : .tooMany(request) }
        return await marked.reply(to: request, from: sender, mark: mark) {
            rate.count(sender) ? await make() : .tooMany(request)
        }
    }
}
