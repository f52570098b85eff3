package import DeviceIO
import Foundation
import Glibc
import Synchronization

/// The device's end of a line to a driver, on a thread of its own; reading and writing block that
/// thread only.
package final class DeviceLine: Sendable {
    private let descriptor: CInt

    init(_ descriptor: CInt) { self.descriptor = descriptor }

    deinit { Glibc.close(descriptor) }

    /// The next byte; nil when the driver has closed its end, or this one is closed.
    package func byte() -> UInt8? {
        var byte: UInt8 = 0
        return unsafe Glibc.read(descriptor, &byte, 1) == 1 ? byte : nil
    }

    /// Exactly as many; nil when the line ends before.
    package func bytes(_ count: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        while bytes.count < count {
            guard let byte = byte() else { return nil }
            bytes.append(byte)
        }
        return bytes
    }

    package func write(_ bytes: [UInt8]) {
        // A pseudoterminal is not a socket.
        if unsafe send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) < 0, errno == ENOTSOCK {
            _ = unsafe Glibc.write(descriptor, bytes, bytes.count)
        }
    }

    /// The device goes away, for both sides at once. The descriptor stays taken until nobody can
    /// read from it any more.
    package func unplug() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }
}

/// A device that can be connected to again and again; each connection gets a thread.
package final class EmulatedPort: Sendable {
    private let behave: @Sendable (DeviceLine) -> Void
    private let opened = Mutex(0)
    private let line = Mutex<DeviceLine?>(nil)
    private let isRemoved = Mutex(false)

    /// - Parameter behave: What the device does with a connection, from its beginning to its end.
    package init(_ behave: @escaping @Sendable (DeviceLine) -> Void) { self.behave = behave }

    package var connections: Int { opened.withLock { $0 } }

    /// The device goes away between two commands.
    package func hangUp() { line.withLock { $0?.unplug() } }

    /// As ``hangUp()``, and it cannot be opened again.
    package func remove() {
        isRemoved.withLock { $0 = true }
        hangUp()
    }

    /// What a driver opens.
    package func open(_ cancel: WakeEvent) throws(DeviceError) -> any ByteTransport {
        guard !isRemoved.withLock({ $0 }) else { throw .notFound("emulated device") }
        var pair: [CInt] = [0, 0]
        guard unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0 else {
            throw .notFound("socketpair")
        }
        opened.withLock { $0 += 1 }
        let line = DeviceLine(pair[0])
        self.line.withLock { $0 = line }
        Thread.detachNewThread { [behave] in behave(line) }
        return DescriptorStream(pair[1], name: "emulated device", cancel: cancel)
    }
}

/// Waits on the emulator's thread for what only a task can do.
package func blocking<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) -> Value? {
    let (done, result) = (DispatchSemaphore(value: 0), Result<Value>())
    Task {
        let value = await work()
        result.value.withLock { $0 = value }
        done.signal()
    }
    done.wait()
    return result.value.withLock { $0 }
}

private final class Result<Value: Sendable>: Sendable {
    let value = Mutex<Value?>(nil)
}
