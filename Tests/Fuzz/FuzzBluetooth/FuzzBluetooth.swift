import CFuzzer
import Dispatch
import Glibc
import Modules

@c(FuzzBluetooth_main)
public func start(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
    run_fuzzer(count, arguments) { fuzz($0, $1) }
}

/// A message bus and a bluetoothd that the fuzzer made up, behind a socket: their devices are
/// listed or said why not. Of the first byte, bit 0 has devices looked for too, and bit 1 cuts the
/// rest into messages.
private func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
    guard let kind = bytes.first else { return 0 }
    let done = DispatchSemaphore(value: 0)
    Task.detached {
        do throws(DeviceError) {
            check(try await kind & 1 == 0 ? discovery.known() : discovery.discover(scanTime: .milliseconds(1)))
        } catch {
            precondition(!"\(error)".isEmpty)
        }
        done.signal()
    }
    let peer = accept(bus.listener, nil, nil)
    let said = Array("OK 0123\r\n".utf8) + (kind & 2 == 0 ? Array(bytes.dropFirst()) : messages(bytes.dropFirst()))
    _ = send(peer, said, said.count, Int32(MSG_NOSIGNAL))
    if kind & 1 == 1 { awaitSilence(peer) }
    // What is waited for in vain ends here, and not at its deadline.
    shutdown(peer, Int32(SHUT_WR))
    done.wait()
    close(peer)
    return 0
}

/// A search goes on while the bus is there, and ends by itself.
private func awaitSilence(_ peer: Int32) {
    var entry = pollfd(fd: peer, events: Int16(POLLIN), revents: 0)
    var heard = [UInt8](repeating: 0, count: 4096)
    while poll(&entry, 1, 5) > 0, recv(peer, &heard, heard.count, 0) > 0 {}
}

private func check(_ nodes: [DeviceNode]) {
    precondition(nodes.count <= 4096)
    for node in nodes { precondition(node.kind == .bluetooth && node.bluetooth?.address.description == node.node) }
}

/// Each with its length in two bytes before it. The header says the length that the message has,
/// where it can, so that those behind it are found.
private func messages(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var rest = bytes
    var said: [UInt8] = []
    while rest.count >= 2 {
        var message = Array(rest.dropFirst(2).prefix(Int(rest.removeFirst()) << 8 | Int(rest.removeFirst())))
        rest = rest.dropFirst(message.count)
        if message.count >= 16, message[12...].prefix(4).dropFirst(2).allSatisfy({ $0 == 0 }) {
            let fields = (Int(message[12]) + Int(message[13]) * 256 + 7) / 8 * 8
            let body = message.count - 16 - fields
            if body >= 0 { message.replaceSubrange(4..<8, with: [UInt8(body & 0xFF), UInt8(body >> 8), 0, 0]) }
        }
        said += message
    }
    return said
}

private let bus = Bus()
private let discovery: BluetoothDiscovery = {
    guard let discovery = try? BluetoothDiscovery(bus: DBusAddress("unix:abstract=\(bus.name)")) else {
        fatalError("no thread")
    }
    return discovery
}()

/// A socket of the abstract namespace.
private struct Bus {
    let name = "cardpresent-fuzz-\(getpid())"
    let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)

    init() {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.dropFirst().copyBytes(from: name.utf8) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + 1 + name.utf8.count)
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(listener, $0, length) }
        }
        guard status == 0, listen(listener, 8) == 0 else { fatalError("no socket") }
    }
}
