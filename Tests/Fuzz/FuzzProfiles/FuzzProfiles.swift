import CFuzzer
import JSONDocument
import Modules

@c(FuzzProfiles_main)
public func start(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
    run_fuzzer(count, arguments) { fuzz($0, $1) }
}

/// A card on paper is read or refused with its place, and is the same after writing.
private func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    do throws(DocumentError) {
        let file = try CardProfileFile(parsing: text)
        guard (try? CardProfileFile(parsing: file.json)) == file else {
            fatalError("a profile is another after writing")
        }
        precondition(!file.summary.isEmpty)
    } catch {
        precondition(!error.description.isEmpty)
    }
    return 0
}
