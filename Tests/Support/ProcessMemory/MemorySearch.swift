import Glibc

/// A look from outside through the memory that another process may write.
public enum MemorySearch {
    public struct Find: Sendable, CustomStringConvertible {
        /// The form of the number.
        public let form: String
        /// The mapping's name: `[heap]`, `[stack]`, a file, or empty for memory that the program
        /// asked for.
        public let mapping: String
        /// What is around it: 64 bytes before, and 64 from its beginning on.
        public let surroundings: [UInt8]
        /// In the other process.
        public let address: UInt

        public var description: String { "\(form) in \(mapping.isEmpty ? "other memory" : mapping)" }
    }

    /// A process that cannot be looked into, or is gone.
    public struct Unreadable: Error {
        public let pid: Int32
    }

    /// Where the forms of `number` lie in the process `pid`.
    public static func finds(of number: CardNumberForms, in pid: Int32) throws -> [Find] {
        let memory = unsafe open("/proc/\(pid)/mem", O_RDONLY | O_CLOEXEC)
        guard memory >= 0 else { throw Unreadable(pid: pid) }
        defer { close(memory) }
        var finds: [Find] = []
        var searched = 0
        for mapping in try mappings(pid) {
            let content = read(mapping.range, memory)
            searched += content.count
            for form in number.forms {
                var place = 0
                while let hit = first(form.bytes, in: content, from: place) {
                    place = hit + 1
                    // The second half of the whole text is none by itself.
                    if form.name == "half", content[..<hit].suffix(8).elementsEqual(number.digits.prefix(8)) {
                        continue
                    }
                    finds.append(
                        Find(
                            form: form.name, mapping: mapping.name,
                            surroundings: Array(content[max(0, hit - 64)..<min(content.count, hit + 64)]),
                            address: mapping.range.lowerBound + UInt(hit)))
                }
            }
        }
        guard searched > 0 else { throw Unreadable(pid: pid) }
        return finds
    }

    private static func first(_ bytes: [UInt8], in content: [UInt8], from place: Int) -> Int? {
        unsafe content.withUnsafeBytes { content in
            guard let start = content.baseAddress else { return nil }
            var at = place
            while content.count - at >= bytes.count {
                guard let hit = unsafe memchr(start + at, CInt(bytes[0]), content.count - at - bytes.count + 1) else {
                    return nil
                }
                if unsafe memcmp(hit, bytes, bytes.count) == 0 { return unsafe UnsafeRawPointer(hit) - start }
                at = unsafe UnsafeRawPointer(hit) - start + 1
            }
            return nil
        }
    }

    /// What of the range can be read: a mapping that was given back meanwhile has an end.
    private static func read(_ range: Range<UInt>, _ memory: CInt) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: range.count) { buffer, count in
            while count < range.count, let start = buffer.baseAddress {
                let got = unsafe pread(memory, start + count, range.count - count, off_t(range.lowerBound) + count)
                guard got > 0 else { break }
                count += got
            }
        }
    }

    /// proc_pid_maps(5): `first-last rw… offset device inode name`
    private static func mappings(_ pid: Int32) throws -> [(range: Range<UInt>, name: String)] {
        let file = unsafe open("/proc/\(pid)/maps", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw Unreadable(pid: pid) }
        defer { close(file) }
        var text: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = unsafe Glibc.read(file, &part, part.count)
            guard count > 0 else { break }
            text += part.prefix(count)
        }
        return text.split(separator: 0x0A).compactMap { line in
            let fields = String(decoding: line, as: UTF8.self).split(separator: " ", omittingEmptySubsequences: true)
            guard fields.count > 1, fields[1].hasPrefix("rw") else { return nil }
            let bounds = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            return bounds.count == 2 ? (bounds[0]..<bounds[1], fields.count > 5 ? String(fields[5]) : "") : nil
        }
    }
}
