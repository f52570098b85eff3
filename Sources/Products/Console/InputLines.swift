private import Dispatch

#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#endif

/// The lines of standard input. The next one is read when it is asked for, on a thread of its own,
/// because reading blocks.
public actor InputLines {
    private let limit: Int
    private var rest: [UInt8] = []
    private var isAtEnd = false
    private let queue = DispatchQueue(label: "standard input")

    /// - Parameter limit: The maximum size of a line, in bytes. Of a longer one the rest is passed
    ///   over, but for one byte, by which it is seen to be too long.
    public init(limit: Int) { self.limit = limit }

    /// Without its line feed; nil at the end of the input.
    public func next() async -> [UInt8]? {
        var line: [UInt8] = []
        while true {
            if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                keep(rest[..<end], of: &line)
                rest.removeSubrange(...end)
                return line
            }
            keep(rest[...], of: &line)
            rest = []
            guard !isAtEnd else { return line.isEmpty ? nil : line }
            let read = await withCheckedContinuation { continuation in
                queue.async { continuation.resume(returning: Self.read()) }
            }
            guard !read.isEmpty else {
                isAtEnd = true
                continue
            }
            rest = read
        }
    }

    private func keep(_ part: ArraySlice<UInt8>, of line: inout [UInt8]) {
        line += part.prefix(max(0, limit &+ 1 - line.count))
    }

    /// What there is, at most 64 KiB; empty at the end, and after an error.
    private static func read() -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
            var result = 0
            repeat {
                result = unsafe systemRead(STDIN_FILENO, buffer.baseAddress, buffer.count)
            } while result < 0 && errno == EINTR
            count = max(0, result)
        }
    }
}

private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    unsafe read(descriptor, bytes, count)
}
