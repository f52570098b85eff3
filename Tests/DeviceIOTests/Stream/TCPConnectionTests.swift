import Glibc
import Testing

@testable import DeviceIO

@Suite(.timeLimit(.minutes(20))) struct TCPConnectionTests {
    /// A socket of this machine that takes connections, and its port.
    private func listener(waiting: CInt = 1) throws -> (TestDescriptor, UInt16) {
        let listener = TestDescriptor(socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                _ = unsafe bind(listener.descriptor, pointer, size)
                _ = unsafe getsockname(listener.descriptor, pointer, &size)
            }
        }
        if waiting >= 0 { try #require(listen(listener.descriptor, waiting) == 0) }
        return (listener, UInt16(bigEndian: address.sin_port))
    }

    @Test("a connection carries bytes both ways", arguments: ["127.0.0.1", "localhost"])
    func connects(_ host: String) throws {
        let (listener, port) = try listener()
        let connection = try TCPConnection(host: host, port: port, by: .after(.seconds(30)), cancel: nil)
        let other = TestDescriptor(accept(listener.descriptor, nil, nil))
        try connection.write([1, 2], by: .never)
        #expect(other.read(atMost: 2) == [1, 2])
        other.write([3])
        #expect(try connection.read(atMost: 8, by: .never) == [3])
        #expect(connection.name == "\(host):\(port)")
        other.close()
        #expect(throws: DeviceError.disconnected) { try connection.read(atMost: 1, by: .never) }
    }

    @Test("Bound, so that nobody else takes the port, and not listening") func nobodyListens() throws {
        let (listener, port) = try listener(waiting: -1)
        #expect(throws: DeviceError.notListening("127.0.0.1:\(port)")) {
            try TCPConnection(host: "127.0.0.1", port: port, by: .never, cancel: nil)
        }
        _ = listener
    }

    @Test("A host that does not exist is not found") func unknownHost() {
        #expect(throws: DeviceError.notFound("no-such-host.invalid")) {
            try TCPConnection(host: "no-such-host.invalid", port: 6543, by: .never, cancel: nil)
        }
    }

    @Test("The queue of connections is full, so that connecting waits: until its deadline, or until it is cancelled")
    func endsWaiting()
        throws
    {
        let (listener, port) = try listener(waiting: 0)
        var taken: [TCPConnection] = []
        var error: DeviceError?
        while error == nil, taken.count < 8 {
            do throws(DeviceError) {
                taken.append(
                    try TCPConnection(host: "127.0.0.1", port: port, by: .after(.milliseconds(200)), cancel: nil))
            } catch let failure {
                error = failure
            }
        }
        #expect(error == .timedOut)
        let event = try WakeEvent()
        event.signal()
        #expect(throws: DeviceError.cancelled) {
            try TCPConnection(host: "127.0.0.1", port: port, by: .never, cancel: event)
        }
        _ = listener
    }

    @Test("The first address does not answer, since its queue is full; the second one does, well before the deadline")
    func deadAddress()
        throws
    {
        let (dead, port) = try listener(waiting: 0)
        var taken: [TCPConnection] = []
        while taken.count < 8 {
            guard
                let next = try? TCPConnection(
                    host: "127.0.0.1", port: port, by: .after(.milliseconds(200)), cancel: nil)
            else { break }
            taken.append(next)
        }
        // All of 127.0.0.0/8 is this machine, and a socket bound to one address of it leaves the
        // port free on the others.
        let alive = TestDescriptor(socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0002).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(alive.descriptor, $0, size) == 0
            }
        }
        try #require(isBound && listen(alive.descriptor, 1) == 0)
        let addresses = [[127, 0, 0, 1], [127, 0, 0, 2]].map { TCPConnection.Address(bytes: $0, scope: 0) }
        let deadline = Deadline.after(.seconds(40))
        _ = try TCPConnection(addresses, name: "reader", port: port, by: deadline, cancel: nil)
        #expect(deadline.remaining > .seconds(20))
        _ = dead
    }

    /// The interface of an address that is good on one link only; 1 is the loopback's number on
    /// every Linux.
    @Test func interfaceOfAnAddress() {
        let local = [0xFE, 0x80] + [UInt8](repeating: 0, count: 13) + [1]
        #expect(TCPConnection.addresses(of: "fe80::1%lo") == [TCPConnection.Address(bytes: local, scope: 1)])
        #expect(TCPConnection.addresses(of: "127.0.0.1") == [TCPConnection.Address(bytes: [127, 0, 0, 1], scope: 0)])
    }

    /// The kernel asks the other side whether it is still there: SO_KEEPALIVE, socket(7), and after
    /// 30 s of silence, TCP_KEEPIDLE, tcp(7).
    @Test func noticesThatTheOtherSideIsGone() throws {
        let (listener, port) = try listener()
        let connection = try TCPConnection(host: "127.0.0.1", port: port, by: .after(.seconds(30)), cancel: nil)
        func option(_ level: CInt, _ name: CInt) -> CInt {
            var (value, size) = (CInt(-1), socklen_t(MemoryLayout<CInt>.size))
            return unsafe getsockopt(connection.readiness, level, name, &value, &size) == 0 ? value : -1
        }
        #expect(option(SOL_SOCKET, SO_KEEPALIVE) == 1)
        #expect(option(CInt(IPPROTO_TCP), TCP_KEEPIDLE) == 30)
        #expect(option(CInt(IPPROTO_TCP), TCP_KEEPINTVL) == 10)
        _ = listener
    }
}
