import Foundation
import PrinterModels
import Printing
import Synchronization
import Testing

/// A simulated printer at the other end of a socket or a pseudoterminal, on a thread of its own.
final class PrinterStand: Sendable {
    /// How the printer is reached.
    enum Way: String, CaseIterable, CustomTestStringConvertible {
        case network, serial, linePrinter
        var testDescription: String { rawValue }
    }

    private struct State {
        var printer: SimulatedPrinter
        /// The bytes after which the link breaks; nil for a link that holds.
        var breaksAfter: Int?
        var received = 0
        var connections = 0
        /// Where answers go.
        var connection: CInt?
        var isEnded = false
    }

    /// Each descriptor is closed by the thread that reads it: its number is another one's at once.
    private let ended = DispatchSemaphore(value: 0)

    private let state: Mutex<State>
    let way: Way
    /// Of the network, or a path.
    let port: UInt16
    let path: String

    init(_ profile: PrinterProfile, _ way: Way, breaksAfter: Int? = nil) throws {
        self.way = way
        let state = State(printer: SimulatedPrinter(profile), breaksAfter: breaksAfter)
        let descriptor: CInt
        switch way {
        case .network:
            // SOCK_STREAM of Linux, socket(2).
            let listener = Glibc.socket(AF_INET, 1, 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    unsafe bind(listener, address, length) == 0 && listen(listener, 4) == 0
                        && getsockname(listener, address, &length) == 0
                }
            }
            try #require(isBound)
            (port, path) = (UInt16(bigEndian: address.sin_port), "")
            descriptor = listener
        case .serial, .linePrinter:
            let terminal = unsafe Glibc.open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
            // TIOCSPTLCK and TIOCGPTN of Linux, ioctl_tty(2).
            var (lock, number): (CInt, CInt) = (0, 0)
            let isOpen = unsafe ioctl(terminal, 0x4004_5431, &lock) == 0 && ioctl(terminal, 0x8004_5430, &number) == 0
            try #require(isOpen)
            var settings = termios()
            _ = unsafe tcgetattr(terminal, &settings)
            unsafe cfmakeraw(&settings)
            _ = unsafe tcsetattr(terminal, TCSANOW, &settings)
            (port, path) = (0, "/dev/pts/\(number)")
            descriptor = terminal
        }
        let first = descriptor
        self.state = Mutex(state)
        Thread.detachNewThread { [self] in
            way == .network ? accept(on: first) : serve(first)
            close(first)
            ended.signal()
        }
    }

    /// Returns when the printer's end is closed.
    func end() {
        state.withLock { $0.isEnded = true }
        ended.wait()
        ended.signal()
    }

    var printer: SimulatedPrinter { state.withLock { $0.printer } }

    /// Waits until the printer is so: what is in the system's buffers may not have reached it.
    func becomes(_ isSo: (SimulatedPrinter) -> Bool) async {
        while !Task.isCancelled, !isSo(printer) { try? await Task.sleep(for: .milliseconds(1)) }
    }

    var connections: Int { state.withLock { $0.connections } }

    /// Changes the printer, and sends what it says of that by itself.
    func change(_ body: (inout SimulatedPrinter) -> Void) {
        state.withLock { state in
            body(&state.printer)
            let answers = state.printer.takeAnswers()
            if let connection = state.connection { send(answers, connection) }
        }
    }

    /// The other side may be gone, which must not end the tests.
    private func send(_ bytes: [UInt8], _ descriptor: CInt) {
        if way == .network {
            _ = unsafe Glibc.send(descriptor, bytes, bytes.count, CInt(MSG_NOSIGNAL))
        } else {
            _ = unsafe Glibc.write(descriptor, bytes, bytes.count)
        }
    }

    private func accept(on listener: CInt) {
        while isReadable(listener) {
            let connection = Glibc.accept(listener, nil, nil)
            guard connection >= 0 else { return }
            state.withLock { $0.connections += 1 }
            serve(connection)
            // A link that breaks is not closed in order: with SO_LINGER 0 the other side gets a reset.
            var linger = Glibc.linger(l_onoff: 1, l_linger: 0)
            _ = unsafe setsockopt(
                connection, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
            close(connection)
        }
    }

    /// Waits; false when the stand ends.
    private func isReadable(_ descriptor: CInt) -> Bool {
        while !state.withLock({ $0.isEnded }) {
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            if unsafe poll(&entry, 1, 5) > 0 { return true }
        }
        return false
    }

    private func serve(_ descriptor: CInt) {
        state.withLock { $0.connection = descriptor }
        defer { state.withLock { $0.connection = nil } }
        var buffer = [UInt8](repeating: 0, count: 512)
        while isReadable(descriptor) {
            let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
            // A pseudoterminal that nobody has open yet says EIO.
            if count < 0, errno == EIO {
                usleep(1000)
                continue
            }
            guard count > 0, take(Array(buffer.prefix(count)), descriptor) else { return }
        }
    }

    /// Returns whether the link holds.
    private func take(_ bytes: [UInt8], _ descriptor: CInt) -> Bool {
        state.withLock { state in
            let left = state.breaksAfter.map { max(0, $0 - state.received) } ?? bytes.count
            state.received += bytes.count
            let answers = state.printer.receive(Array(bytes.prefix(left)))
            guard left >= bytes.count else { return false }
            // Answers come in pieces.
            for part in answers { send([part], descriptor) }
            return true
        }
    }
}
