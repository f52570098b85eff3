#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#endif

/// The system's write, which the method of the same name hides.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int { unsafe write(descriptor, bytes, count) }

/// A file that is written from its beginning as lines come.
public final class OutputFile: Sendable {
    private let name: String
    private let descriptor: Int32

    /// Makes the file, or empties it.
    public init(_ path: String) throws(InputError) {
        name = path
        descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw InputError("\(path): \(SystemError.last)") }
    }

    public func write(_ text: String) throws(InputError) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe systemWrite(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                throw InputError("\(name): \(SystemError.last)")
            }
        }
    }

    deinit { close(descriptor) }
}
