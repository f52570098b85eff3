import CardCryptography

/// The replies to requests that have named themselves by a mark: one that comes a second time, doubled on its way, is not carried out again but answered as
/// it was before.
///
/// Without that, connections could not stay open: where the answer to the first of two equal requests is lost, the client takes the second's for it, and "order already
/// processed" would say of a payment that was approved that it was refused.
actor MarkedReplies {
    /// So many are remembered; a copy comes soon after its original.
    static let capacity = 256

    private struct Key: Hashable {
        let mark: String
        /// Of the request and of whoever sends it: another one by the same mark is another one.
        let digest: [UInt8]
    }

    private enum Entry {
        case made(HostReply)
        /// Being made, with the copies that wait for it.
        case inTheMaking([CheckedContinuation<HostReply, Never>])
    }

    private var entries: [Key: Entry] = [:]
    private var oldestFirst: [Key] = []

    /// What `make` replies to the request, or has replied to it before, or is about to.
    func reply(to request: HostRequest, mark: String, _ make: @Sendable () async -> HostReply) async -> HostReply {
        let text = ([request.authorization ?? "", request.method] + request.path + request.query.flatMap { [$0.name, $0.value] })
            .joined(separator: "\n")
        let key = Key(mark: mark, digest: SHA256.hash(Array(text.utf8), [0], request.body))
        switch entries[key] {
        case .made(let reply): return reply
        case .inTheMaking(let others): return await withCheckedContinuation { entries[key] = .inTheMaking(others + [$0]) }
        case nil: break
        }
        entries[key] = .inTheMaking([])
        let reply = await make()
        if case .inTheMaking(let others) = entries.updateValue(.made(reply), forKey: key) {
            for other in others { other.resume(returning: reply) }
        }
        oldestFirst.append(key)
        if oldestFirst.count > Self.capacity { entries[oldestFirst.removeFirst()] = nil }
        return reply
    }
}
