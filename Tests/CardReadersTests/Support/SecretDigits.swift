import Glibc

/// Thirteen digits of chance, and a look through this process's memory for copies of them.
///
/// They and the buffer of the look are in a mapping of their own, which is passed over.
@safe
final class SecretDigits: @unchecked Sendable {
    static let count = 13
    /// What stands for them in a template.
    static let placeholder = [UInt8](repeating: UInt8(ascii: "D"), count: count)

    private static let size = 1 << 20
    private static let buffer = 4096
    private let region: UnsafeMutableRawPointer

    init() {
        unsafe region = mmap(nil, Self.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        for index in 0..<Self.count {
            unsafe region.storeBytes(of: UInt8.random(in: 0x30...0x39), toByteOffset: index, as: UInt8.self)
        }
    }

    deinit { unsafe munmap(region, Self.size) }

    /// Calls `body` with `template` and the digits in the placeholder's stead, and wipes that.
    func fill(_ template: [UInt8], _ body: ([UInt8]) -> Void) {
        guard let start = template.indices.first(where: { template[$0...].starts(with: Self.placeholder) }) else { return }
        var bytes = template
        for index in 0..<Self.count { bytes[start + index] = unsafe region.load(fromByteOffset: index, as: UInt8.self) }
        body(bytes)
        for index in bytes.indices { bytes[index] = 0 }
    }

    /// Whether `bytes` end with the digits.
    func isAtEnd(of bytes: Span<UInt8>) -> Bool {
        guard bytes.count >= Self.count else { return false }
        return (0..<Self.count).allSatisfy { index in
            unsafe bytes[bytes.count - Self.count + index] == region.load(fromByteOffset: index, as: UInt8.self)
        }
    }

    /// How often they are in memory that this process may write.
    func copies() -> Int {
        let memory = unsafe open("/proc/self/mem", O_RDONLY | O_CLOEXEC)
        defer { close(memory) }
        var found = 0
        for range in Self.mappings() where !range.contains(UInt(bitPattern: unsafe region)) { found += copies(in: range, memory) }
        return found
    }

    private func copies(in range: Range<UInt>, _ memory: CInt) -> Int {
        var found = 0
        var address = range.lowerBound
        let (window, capacity) = unsafe (region + Self.buffer, Self.size - Self.buffer)
        while address < range.upperBound {
            let wanted = min(capacity, Int(range.upperBound - address))
            let count = unsafe pread(memory, window, wanted, off_t(address))
            // A mapping that was given back meanwhile.
            guard count >= Self.count else { break }
            var rest = 0
            let first = CInt(unsafe region.load(as: UInt8.self))
            while count - rest >= Self.count, let hit = unsafe memchr(window + rest, first, count - rest - Self.count + 1) {
                if unsafe memcmp(hit, region, Self.count) == 0 { found += 1 }
                rest = unsafe hit - UnsafeMutableRawPointer(window) + 1
            }
            // One that lies across the end is found with the next window.
            address += UInt(count == wanted && address + UInt(count) < range.upperBound ? count - Self.count + 1 : count)
        }
        return found
    }

    /// proc_pid_maps(5): `first-last rw…`
    private static func mappings() -> [Range<UInt>] {
        var text: [UInt8] = []
        let file = unsafe open("/proc/self/maps", O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        var part = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = unsafe read(file, &part, part.count)
            guard count > 0 else { break }
            text += part.prefix(count)
        }
        return text.split(separator: 0x0A).compactMap { line in
            let fields = String(decoding: line, as: UTF8.self).split(separator: " ")
            guard fields.count > 1, fields[1].hasPrefix("rw") else { return nil }
            let bounds = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            return bounds.count == 2 ? bounds[0]..<bounds[1] : nil
        }
    }
}
