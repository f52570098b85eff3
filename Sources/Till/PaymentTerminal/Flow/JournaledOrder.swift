/// An order in progress, and whether it has an entry in the journal.
struct JournaledOrder: Sendable {
    enum Keeping: Sendable {
        case new
        case journaled
        /// It has no entry, because it moves no money: a lost answer does no harm.
        case nowhere
    }

    var entry: JournalEntry
    var keeping: Keeping
}
