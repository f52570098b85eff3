import CardCryptography

/// The replies to requests that have named themselves by a mark: one that comes a second time, doubled on its way, is not carried out again but answered as
/// it was before.
///
/// Without that, connections could not stay open: where the answer to the first of two equal requests is lost, the client takes the second's for it, and "order already
/// processed" would say of a payment that was approved that it was refused. They are kept for each sender apart, so that no other's requests push them out.
actor MarkedReplies {
    /// So many are remembered of one sender; a copy comes soon after its original.
    static let capacity = 256

    private struct Key: Hashable {
        let mark: String
        /// Of the request: another one by the same mark is another one.
        let digest: [UInt8]
    }

    private enum Entry {
        case made(HostReply)
        /// Being made, with the copies that wait for it.
        case inTheMaking([CheckedContinuation<HostReply, Never>])
    }

    private struct Sender {
        var entries: [Key: Entry] = [:]
        var oldestFirst: [Key] = []
    }

    private var senders: [String: Sender] = [:]

    /// What `make` replies to the request, or has replied to it before, or is about to.
    ///
    /// - Parameter sender: who has proved that the request is theirs; the host knows as many as it has terminals and API keys.
    func reply(
        to request: HostRequest, from sender: String, mark: String, _ make: @Sendable () async -> HostReply
    ) async -> HostReply {
        let text = ([request.method, request.path] + request.query.flatMap { [$0.name, $0.value] }).joined(separator: "\n")
        let key = Key(mark: mark, digest: SHA256.hash(Array(text.utf8), [0], request.body))
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

    private func remember(_ reply: HostReply, _ key: Key, of sender: String) {
        guard var known = senders[sender] else { return }
        if case .inTheMaking(let others) = known.entries.updateValue(.made(reply), forKey: key) {
            for other in others { other.resume(returning: reply) }
        }
        known.oldestFirst.append(key)
        if known.oldestFirst.count > Self.capacity { known.entries[known.oldestFirst.removeFirst()] = nil }
        senders[sender] = known
    }
}
