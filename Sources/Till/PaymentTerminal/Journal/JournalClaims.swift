private import Synchronization

/// Which terminal of this process each journal belongs to.
///
/// Two terminals on one journal would each recover what the other has in progress: one would
/// reverse what the other reports as approved.
enum JournalClaims {
    private struct Claim: Sendable {
        weak let terminal: Terminal?
    }

    private static let claims = Mutex<[ObjectIdentifier: Claim]>([:])

    /// Claims the journal until the terminal is released. A journal that is a value has no
    /// identity, and must look after itself.
    ///
    /// - Throws: ``TerminalError/Code/journalFailed`` if another terminal has claimed it.
    static func claim(_ journal: any TransactionJournal, for terminal: Terminal) throws(TerminalError) {
        guard type(of: journal) is AnyClass else { return }
        let identity = ObjectIdentifier(journal as AnyObject)
        let isOurs = claims.withLock { claims in
            claims = claims.filter { $0.value.terminal != nil }
            if let owner = claims[identity]?.terminal { return owner === terminal }
            claims[identity] = Claim(terminal: terminal)
            return true
        }
        guard isOurs else {
            throw TerminalError(
                .journalFailed, "another terminal of this process uses the journal: release it, or open another journal"
            )
        }
    }
}
