import Bytes
import CFuzzer
import Modules

@c(FuzzKeyBlocks_main)
public func start(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
    run_fuzzer(count, arguments) { fuzz($0, $1) }
}

/// Of the first byte, the low bits choose the protection key. With bit 7 the rest is a block of the
/// fuzzer's own, otherwise what a block is made of, and where it is then changed.
private func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let start, count > 0 else { return 0 }
    let key = protectionKeys[Int(start[0] & 0x7F) % protectionKeys.count]
    let rest = Array(UnsafeBufferPointer(start: start + 1, count: count - 1))
    if start[0] & 0x80 != 0 { read(String(decoding: rest, as: UTF8.self), key) } else { make(rest, key) }
    return 0
}

/// A block that authenticates says the same after it was wrapped again.
private func read(_ block: String, _ protectionKey: KeyBlock.ProtectionKey) {
    do throws(KeyBlockError) {
        let (key, header) = try KeyBlock.unwrap(block, under: protectionKey)
        let wrapped: String
        do throws(KeyBlockError) {
            wrapped = try KeyBlock.wrap(key, header: header, under: protectionKey)
        } catch {
            // Padding up to the longest key may need more characters than the block had.
            precondition(error == .length, "a block that was read cannot be written: \(error)")
            return
        }
        check(wrapped, of: key, header, under: protectionKey)
    } catch {
        precondition(!error.description.isEmpty)
    }
}

/// Parts with their lengths before them: the fixed fields, the key, and two for each optional
/// block. A block comes back as it was; a change of any of its characters is noticed.
private func make(_ bytes: [UInt8], _ protectionKey: KeyBlock.ProtectionKey) {
    var parts = Parts(rest: bytes[...])
    guard let place = parts.rest.popFirst(), let fields = parts.next().map({ String(decoding: $0, as: UTF8.self) }),
        fields.count == 9,
        let version = fields.first.flatMap(KeyBlockHeader.Version.init)
    else { return }
    let letters = Array(fields)
    var header = KeyBlockHeader(
        version: version, usage: String(letters[1...2]), algorithm: letters[3], modeOfUse: letters[4],
        keyVersionNumber: String(letters[5...6]),
        exportability: letters[7])
    let key = SecretBytes(parts.next() ?? [])
    while let id = parts.next(), let data = parts.next() {
        header.optionalBlocks.append(
            .init(id: String(decoding: id, as: UTF8.self), data: String(decoding: data, as: UTF8.self)))
    }
    let block: String
    do throws(KeyBlockError) { block = try KeyBlock.wrap(key, header: header, under: protectionKey) } catch {
        precondition(!error.description.isEmpty)
        return
    }
    check(block, of: key, header, under: protectionKey)
    var changed = Array(block.utf8)
    changed[Int(place) * changed.count / 256] ^= 1
    precondition(
        (try? KeyBlock.unwrap(String(decoding: changed, as: UTF8.self), under: protectionKey)) == nil,
        "a changed block is taken")
    let other = protectionKeys.first { (try? KeyBlock.unwrap(block, under: $0)) != nil && !same($0, protectionKey) }
    precondition(other == nil, "a block is taken with another key")
}

private func check(
    _ block: String, of key: SecretBytes, _ header: KeyBlockHeader, under protectionKey: KeyBlock.ProtectionKey
) {
    precondition(block.utf8.count <= 9999 && block.utf8.allSatisfy { (0x20...0x7E).contains($0) })
    guard let again = try? KeyBlock.unwrap(block, under: protectionKey) else {
        fatalError("a block cannot be read after writing")
    }
    precondition(again.key == key && again.header == header, "a block is another after writing")
}

private func same(_ left: KeyBlock.ProtectionKey, _ right: KeyBlock.ProtectionKey) -> Bool {
    switch (left, right) {
    case (.tdes(let left), .tdes(let right)): left.bytes == right.bytes
    case (.aes(let left), .aes(let right)): left.bytes == right.bytes
    default: false
    }
}

private struct Parts {
    var rest: ArraySlice<UInt8>

    mutating func next() -> ArraySlice<UInt8>? {
        guard let length = rest.popFirst() else { return nil }
        defer { rest = rest.dropFirst(Int(length)) }
        return rest.prefix(Int(length))
    }
}

/// Those of Vectors/ansi-x9.143.
private let protectionKeys: [KeyBlock.ProtectionKey] = {
    func counting(_ count: UInt8) -> SecretBytes { SecretBytes(Array(0..<count)) }
    guard let short = try? TDESKey(counting(16)), let long = try? TDESKey(counting(24)),
        let aes = try? AESKey(counting(16)),
        let longest = try? AESKey(counting(32)),
        let standard = try? [UInt8](hex: "88E1AB2A2E3DD38C1FA039A536500CC8A87AB9D62DC92C01058FA79F44657DE6"),
        let published = try? AESKey(SecretBytes(standard))
    else { fatalError("no keys") }
    return [.tdes(short), .tdes(long), .aes(aes), .aes(longest), .aes(published)]
}()
