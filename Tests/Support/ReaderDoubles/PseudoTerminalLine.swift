import Foundation
import Glibc

/// A serial port for other processes: the device file of a pseudoterminal, at whose other end a
/// device is played.
package final class PseudoTerminalLine: Sendable {
    /// The device file.
    package let path: String
    /// Held, so that the device outlives those who open the file one after the other.
    private let port: FileHandle

    /// - Parameter behave: What the device does, on a thread of its own.
    package init(_ behave: @escaping @Sendable (DeviceLine) -> Void) throws {
        let controller = unsafe Glibc.open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        // TIOCSPTLCK and TIOCGPTN of Linux, ioctl_tty(2): unlock the other side, and ask for its
        // number.
        var lock: Int32 = 0
        var number: Int32 = 0
        guard controller >= 0, unsafe ioctl(controller, 0x4004_5431, &lock) == 0,
            unsafe ioctl(controller, 0x8004_5430, &number) == 0
        else {
            throw POSIXError(.init(rawValue: errno) ?? .EIO)
        }
        path = "/dev/pts/\(number)"
        let descriptor = unsafe Glibc.open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        var attributes = termios()
        guard descriptor >= 0, unsafe tcgetattr(descriptor, &attributes) == 0 else {
            throw POSIXError(.init(rawValue: errno) ?? .EIO)
        }
        unsafe cfmakeraw(&attributes)
        guard unsafe tcsetattr(descriptor, TCSANOW, &attributes) == 0 else {
            throw POSIXError(.init(rawValue: errno) ?? .EIO)
        }
        port = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        let line = DeviceLine(controller)
        Thread.detachNewThread { behave(line) }
    }
}
