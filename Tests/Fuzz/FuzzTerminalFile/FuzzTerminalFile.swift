import Bytes
import CFuzzer
import JSONDocument
import Modules

@c(FuzzTerminalFile_main)
public func start(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
    run_fuzzer(count, arguments) { fuzz($0, $1) }
}

/// A terminal's configuration, and behind zeros the files that it names: CA keys, cards that must
/// not pay, readers. It is read or refused with its place on one line, and is the same after
/// writing.
private func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = UnsafeBufferPointer(start: start, count: count)
    let files = bytes.split(separator: 0, maxSplits: 3, omittingEmptySubsequences: false).map {
        String(decoding: $0, as: UTF8.self)
    }
    do throws(DocumentError) {
        let file = try read(files[0], files)
        let written = file.json
        let again: TerminalFile
        do { again = try read(written, files) } catch {
            fatalError("a configuration cannot be read after writing: \(error)")
        }
        precondition(again.json == written, "a configuration is another after writing")
        precondition(
            again.kernel.merchant.nameAndLocation.utf8.elementsEqual(file.kernel.merchant.nameAndLocation.utf8))
        precondition(again.kernel.caKeys == file.kernel.caKeys && again.contactless.count == file.contactless.count)
        precondition(again.kernel.revokedCertificates == file.kernel.revokedCertificates)
        precondition(file.kernel.applications.allSatisfy { (5...16).contains($0.aid.count) })
    } catch {
        precondition(
            !error.message.isEmpty && !error.description.hasSteeringCharacters && error.description.utf8.count < 2000)
    }
    return 0
}

private func read(_ document: String, _ files: [String]) throws(DocumentError) -> TerminalFile {
    func file(_ index: Int) -> String { index < files.count ? files[index] : "" }
    return try TerminalFile(parsing: document) { _ in
        file(1)
    } exceptions: { _ throws(DocumentError) in
        try ExceptionFile(parsing: file(2), key: exceptionKey)
    } devices: { _ throws(DocumentError) in
        try Terminal.DeviceList(parsing: file(3))
    }
}

private let exceptionKey = SecretBytes([UInt8](repeating: 0x11, count: 32))
