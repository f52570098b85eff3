import Console

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Runs programs of the system.
enum Command {
    /// Runs the program and waits for its end.
    static func run(_ name: String, _ arguments: [String]) throws(InputError) {
        var pointers = unsafe ([name] + arguments).map { unsafe strdup($0) }
        unsafe pointers.append(nil)
        defer { unsafe pointers.forEach { unsafe free($0) } }
        var process: pid_t = 0
        let status = unsafe posix_spawnp(&process, name, nil, nil, pointers, environ)
        guard status == 0 else {
            throw unsafe InputError("\(name) cannot be started: \(String(cString: strerror(status)))")
        }
        var result: Int32 = 0
        while unsafe waitpid(process, &result, 0) < 0 && errno == EINTR {}
        guard result == 0 else { throw InputError("\(name) \(arguments.joined(separator: " ")) failed") }
    }
}
