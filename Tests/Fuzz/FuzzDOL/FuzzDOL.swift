import CFuzzer
import Modules

@c(FuzzDOL_main)
public func start(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
    run_fuzzer(count, arguments) { fuzz($0, $1) }
}

/// The first byte says how long the list is, the rest are data objects for it: what is concatenated
/// is as long as the list says, and comes apart again.
private func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
    guard let length = bytes.first else { return 0 }
    let list = Array(bytes.dropFirst().prefix(Int(length)))
    guard let dol = try? DOL(parsing: list) else { return 0 }
    precondition(dol.bytes == list)
    var data = DataElements()
    _ = try? data.append(parsing: Array(bytes.dropFirst(1 + list.count)))
    let values = dol.concatenate(DataElements(), data)
    precondition(values.count == dol.dataLength)
    guard let parts = dol.split(values) else { preconditionFailure("values of the right length come apart") }
    precondition(parts.count == dol.entries.count)
    precondition(dol.split(values + [0]) == nil)
    // A value of the length that is asked for goes as it is.
    for entry in dol.entries where data[entry.tag]?.count == entry.length && !entry.tag.isConstructed {
        guard dol.entries.count(where: { $0.tag == entry.tag }) == 1 else { continue }
        precondition(parts[entry.tag] == data[entry.tag])
    }
    return 0
}
