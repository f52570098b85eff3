import Glibc
import Testing

/// A descriptor that a test reads and writes, and closes when it is to be gone.
final class TestDescriptor {
    let descriptor: CInt
    private var isOpen = true

    init(_ descriptor: CInt) { self.descriptor = descriptor }

    deinit { close() }

    func close() {
        if isOpen { Glibc.close(descriptor) }
        isOpen = false
    }

    func write(_ bytes: [UInt8]) { _ = unsafe Glibc.write(descriptor, bytes, bytes.count) }

    /// The next bytes, for tests that wait for something which needs the cooperative pool: they
    /// must not block it.
    func next(atMost count: Int = 4096) async -> [UInt8] {
        while !Task.isCancelled {
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            if unsafe poll(&entry, 1, 0) > 0 { return read(atMost: count) }
            try? await Task.sleep(for: .milliseconds(1))
        }
        return []
    }

    /// What is there now, at most `count` bytes; waits for the first.
    func read(atMost count: Int = 4096) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: count)
        let got = unsafe Glibc.read(descriptor, &buffer, count)
        return Array(buffer.prefix(max(0, got)))
    }
}

/// A pseudoterminal: its other side is the serial port, this one the device behind it.
struct PseudoTerminal {
    let device: TestDescriptor
    /// Of the serial port.
    let path: String

    init() throws {
        device = TestDescriptor(unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC))
        // TIOCSPTLCK and TIOCGPTN of Linux, ioctl_tty(2): unlock the other side, and ask for its
        // number.
        var (lock, number): (CInt, CInt) = (0, 0)
        let isUnlocked = unsafe ioctl(device.descriptor, 0x4004_5431, &lock) == 0
        let isNumbered = unsafe ioctl(device.descriptor, 0x8004_5430, &number) == 0
        try #require(isUnlocked && isNumbered)
        path = "/dev/pts/\(number)"
    }

    /// The settings of the port; Linux gives them on this side too.
    var settings: termios {
        var settings = termios()
        _ = unsafe tcgetattr(device.descriptor, &settings)
        return settings
    }
}

/// Two sockets that are connected to each other.
func socketPair(packets: Bool = false) throws -> (TestDescriptor, CInt) {
    var pair: [CInt] = [0, 0]
    // SOCK_STREAM and SOCK_SEQPACKET of Linux, socket(2).
    let status = unsafe socketpair(AF_UNIX, packets ? 5 : 1, 0, &pair)
    try #require(status == 0)
    return (TestDescriptor(pair[0]), pair[1])
}
