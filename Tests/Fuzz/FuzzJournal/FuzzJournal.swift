import CFuzzer
import Modules

@c(FuzzJournal_main)
public func start(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
    run_fuzzer(count, arguments) { fuzz($0, $1) }
}

/// The content of a journal's entry, behind a byte that decides on its version (a multiple of 4 for
/// one that is not known): it is read or refused as damaged, and says the same after writing.
private func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let start, count > 0 else { return 0 }
    let content = SecretBytes(UnsafeBufferPointer(start: start + 1, count: count - 1))
    do throws(JournalError) {
        let entry = try JournalEntry(content: content, version: start[0] % 4 == 0 ? 0 : JournalEntry.contentVersion)
        let again = rewritten(entry)
        precondition(again.orderID == entry.orderID && again.stage == entry.stage && again.amount == entry.amount)
        precondition(again.response?.outcome == entry.response?.outcome)
        precondition(again.response?.authorizedAmount == entry.response?.authorizedAmount)
        precondition(again.answer == entry.answer && (again.due == nil) == (entry.due == nil))
        precondition(rewritten(again).content().count == again.content().count, "an entry is another after writing")
    } catch {
        precondition(error.code == .damaged)
    }
    return 0
}

private func rewritten(_ entry: JournalEntry) -> JournalEntry {
    guard let again = try? JournalEntry(content: entry.content(), version: JournalEntry.contentVersion) else {
        fatalError("an entry cannot be read after writing")
    }
    return again
}
