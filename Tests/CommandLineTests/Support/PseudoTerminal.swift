import Foundation
import Glibc

/// A terminal for commands that look whether they write to one.
struct PseudoTerminal {
    private let controller: Int32
    /// The side that a command writes to.
    let screen: FileHandle

    init() throws {
        controller = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        // TIOCSPTLCK and TIOCGPTN of Linux, ioctl_tty(2): unlock the other side, and ask for its
        // number.
        var lock: Int32 = 0
        var number: Int32 = 0
        guard controller >= 0, unsafe ioctl(controller, 0x4004_5431, &lock) == 0,
            unsafe ioctl(controller, 0x8004_5430, &number) == 0
        else {
            throw POSIXError(.init(rawValue: errno) ?? .EIO)
        }
        let descriptor = unsafe open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        screen = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    /// What was written so far, up to the 4096 bytes that a terminal holds. The kernel hands it
    /// over in pieces, on a loaded machine with pauses between them.
    func text() -> String {
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 14)
        var waiting = pollfd(fd: controller, events: Int16(POLLIN), revents: 0)
        while unsafe poll(&waiting, 1, 100) > 0 {
            let count = unsafe read(controller, &buffer, buffer.count)
            guard count > 0 else { break }
            text += buffer.prefix(count)
        }
        return String(decoding: text, as: UTF8.self)
    }

    func close() { Glibc.close(controller) }
}
