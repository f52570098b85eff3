#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#endif

/// An error whose message is the complete text for the user.
public struct InputError: Error, CustomStringConvertible, Sendable {
    public let description: String
    public init(_ description: String) { self.description = description }
}

/// The system's message for the last failed call.
enum SystemError {
    static var last: String { unsafe String(cString: strerror(errno)) }
}
