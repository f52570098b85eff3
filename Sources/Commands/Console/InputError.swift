#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#endif

/// An error whose message is all there is to say to the user.
public struct InputError: Error, CustomStringConvertible, Sendable {
    public let description: String
    public init(_ description: String) { self.description = description }
}

/// What the system says of the last call that failed.
enum SystemError {
    static var last: String { unsafe String(cString: strerror(errno)) }
}
