/// The server's state for authenticated senders: request rates and earlier replies.
struct Senders: Sendable {
    let rate: RateLimit
    private let marked = MarkedReplies()

    init(rate: ServerLimits.Rate?) { self.rate = RateLimit(rate) }

    /// - Parameter sender: the authenticated sender.
    func reply(
        to request: HostRequest, from sender: String, _ make: @Sendable () async -> HostReply
    ) async -> HostReply {
        guard rate.count(sender) else { return .tooMany }
        guard let mark = request.mark else { return await make() }
        return await marked.reply(to: request, from: sender, mark: mark, make)
    }
}
