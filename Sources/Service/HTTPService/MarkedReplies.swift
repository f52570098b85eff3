/// The replies to requests with a mark: a request that arrives again, duplicated in the network, is
/// not executed again but gets the same answer.
///
/// Without that, connections could not stay open: if the answer to the first of two equal requests
/// is lost, the client receives the answer to the second, and "order already processed" would
/// report an approved payment as refused. The replies are kept separately for each sender, so that
/// requests of other senders cannot displace them.
actor MarkedReplies<Reply: Sendable> {
    /// The maximum number of replies for each sender; a copy arrives soon after its original.
    private var capacity: Int { 256 }

    private struct Key: Hashable {
        let mark: String
        /// The digest of the request: another request with the same mark is a different one.
        let digest: [UInt8]
    }

    private enum Entry {
        case made(Reply)
        /// In progress, with the copies that wait for it.
        case inTheMaking([CheckedContinuation<Reply, Never>])
    }

    private struct Sender {
        var entries: [Key: Entry] = [:]
        var oldestFirst: [Key] = []
    }

    private var senders: [String: Sender] = [:]

    /// The reply of `make` to the request: a new one, an earlier one, or one in progress.
    ///
    /// - Parameters:
    ///   - digest: The SHA-256 of all that the request asks for.
    ///   - sender: The authenticated sender: a terminal or an API key.
    func reply(
        to digest: [UInt8], from sender: String, mark: String, _ make: @Sendable () async -> Reply
    ) async -> Reply {
        let key = Key(mark: mark, digest: digest)
        switch senders[sender, default: Sender()].entries[key] {
        case .made(let reply): return reply
        case .inTheMaking(let others):
            return await withCheckedContinuation { senders[sender]?.entries[key] = .inTheMaking(others + [$0]) }
        case nil: break
        }
        senders[sender, default: Sender()].entries[key] = .inTheMaking([])
        let reply = await make()
        remember(reply, key, of: sender)
        return reply
    }

    private func remember(_ reply: Reply, _ key: Key, of sender: String) {
        guard var known = senders[sender] else { return }
        if case .inTheMaking(let others) = known.entries.updateValue(.made(reply), forKey: key) {
            for other in others { other.resume(returning: reply) }
        }
        known.oldestFirst.append(key)
        if known.oldestFirst.count > capacity { known.entries[known.oldestFirst.removeFirst()] = nil }
        senders[sender] = known
    }
}
