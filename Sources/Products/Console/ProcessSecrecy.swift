internal import CProcessSecrecy

#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#endif

/// Protects the memory of a process with card data. Executables call it first.
public enum ProcessSecrecy {
    /// No core file, no debugger of the same user, no registers in a crash report. The process ends
    /// with a line on standard error if the system refuses.
    ///
    /// `CARDPRESENT_DEBUGGABLE=1` in the environment switches it off: card data may then be shown
    /// by a crash.
    public static func begin() {
        let status = process_secrecy_begin()
        guard status < 0 else { return }
        errno = -status
        printError(
            """
            the system does not let this process keep its memory to itself: \(SystemError.last). \
            Look at its container's or service's limits, or set \(PROCESS_SECRECY_OFF)=1 for test cards
            """)
        exit(ExitStatus.failure)
    }
}
