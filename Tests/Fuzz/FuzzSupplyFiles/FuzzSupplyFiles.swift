import Bytes
import CFuzzer
import DeviceSupply
import JSONDocument
import Modules

@c(FuzzSupplyFiles_main)
public func start(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
    run_fuzzer(count, arguments) { fuzz($0, $1) }
}

/// The files that others supply a terminal and its readers with, the kind in front: they are read
/// or refused with the line or the place.
private func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let start, count > 0 else { return 0 }
    let text = String(decoding: UnsafeBufferPointer(start: start + 1, count: count - 1), as: UTF8.self)
    switch start[0] % 6 {
    case 0: authorities(text)
    case 1: swipeKeys(text)
    case 2: exceptions(text)
    case 3: document { () throws(DocumentError) in _ = try Terminal.DeviceList(parsing: text) }
    case 4:
        document { () throws(DocumentError) in
            let state = try SupplyState(parsing: text)
            guard (try? SupplyState(parsing: state.json)) == state else {
                fatalError("a state is another after writing")
            }
        }
    default:
        document { () throws(DocumentError) in
            let manifest = try DevicePackage.Manifest(parsing: text)
            precondition(
                !manifest.files.isEmpty
                    && manifest.files.allSatisfy { !$0.name.hasPrefix("/") && !$0.name.contains("..") })
            guard (try? DevicePackage.Manifest(parsing: manifest.json)) == manifest else {
                fatalError("a manifest is another after writing")
            }
        }
    }
    return 0
}

private func document(_ body: () throws(DocumentError) -> Void) {
    do throws(DocumentError) { try body() } catch { check(error.description) }
}

/// One key for a RID and an index, and the same key from a line that is written with it.
private func authorities(_ text: String) {
    let (keys, problems) = CAPublicKeyFile.read(text)
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).count
    precondition(keys.count + problems.count <= lines && problems.allSatisfy { (1...lines).contains($0.line) })
    precondition(Set(keys.map { $0.rid + [$0.index] }).count == keys.count, "two keys of one name")
    precondition(((try? CAPublicKeyFile.parse(text)) == nil) == !problems.isEmpty)
    for problem in problems { check(problem.description) }
    for key in keys {
        guard case .rsa(let material) = key.key else { continue }
        let line =
            "Written \(key.rid.hex) \([key.index].hex) \(material.exponent.hex) \(material.modulus.hex) \(key.checksum.hex)"
        precondition(CAPublicKeyFile.read(line).keys.map(\.key) == [key.key], "a key is another after writing")
    }
}

/// What is said of a file with keys has none of its digits.
private func swipeKeys(_ text: String) {
    do throws(SwipeKeyFileError) {
        _ = try SwipeDecryption(keyFile: text)
        precondition((try? SwipeDecryption(keyFile: "# before\n\(text)\n# behind")) != nil)
    } catch {
        check(error.description)
        if case .invalidLine(let line) = error { precondition((1...text.count + 1).contains(line)) }
    }
}

private func exceptions(_ text: String) {
    let key = SecretBytes([UInt8](repeating: 0x11, count: 32))
    document { () throws(DocumentError) in
        let list = try ExceptionFile(parsing: text, key: key)
        precondition(list.count <= text.utf8.count { $0 == UInt8(ascii: "\n") })
        precondition((try? ExceptionFile(parsing: text, key: SecretBytes([UInt8](repeating: 0x22, count: 32)))) == nil)
        precondition(
            !list.contains(pan: SecretBytes(Array("4761739001010119".utf8)), sequenceNumber: nil) || list.count > 0)
    }
}

private func check(_ message: String) {
    precondition(
        !message.isEmpty && message.utf8.count < 6000 && !message.hasSteeringCharacters, "a message is not a line")
}
