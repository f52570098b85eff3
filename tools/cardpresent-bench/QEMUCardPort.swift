import Console
import DeviceIO
import SmartCard
import Synchronization
import VirtualCard

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The card side of QEMU's `ccid-card-passthru`: a virtual card in the reader of an emulated machine.
///
/// QEMU speaks the VSCard protocol of libcacard: messages of a type, a reader's number and a length, 32 bits each, most significant byte first, and their data.
/// What it passes on are the commands of T=0, since that is what its reader speaks.
actor QEMUCardPort {
    private enum Message: UInt32 {
        case hello = 1
        case error = 2
        case readerAdded = 3
        case readerRemoved = 4
        case answerToReset = 5
        case cardRemoved = 6
        case command = 7
        case flush = 8
        case flushed = 9
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

    private nonisolated let thread: DeviceThread
    private let incoming: DescriptorStream
    /// The same socket; an order ends a wait for messages, not the sending of one.
    private let outgoing: DescriptorStream
    private let answerToReset: [UInt8]
    private let makeCard: @Sendable () async -> any CardChannel
    private var card: T0CardSide?
    private var received: [UInt8] = []
    private nonisolated let orders = Mutex<[Hand]>([])

    /// The most that a message may have behind its head.
    private static let largestMessage = 65536 + 16

    /// - Parameters:
    ///   - path: Of the Unix socket on which QEMU listens; it is waited for as long as a machine takes to start.
    ///   - makeCard: Gives the card each time that it is put in.
    init(path: String, answerToReset: [UInt8], makeCard: @escaping @Sendable () async -> any CardChannel) async throws {
        thread = try DeviceThread(name: "card port")
        let socket = try await Self.connected(path)
        outgoing = DescriptorStream(dup(socket), name: path, cancel: nil)
        incoming = DescriptorStream(socket, name: path, cancel: thread.cancelEvent)
        self.answerToReset = answerToReset
        self.makeCard = makeCard
    }

    deinit { thread.stop() }

    /// What is done to the card while QEMU runs.
    enum Hand: Sendable {
        case insert
        case remove
    }

    /// To be called from anywhere.
    nonisolated func order(_ hand: Hand) {
        orders.withLock { $0.append(hand) }
        thread.cancelEvent.signal()
    }

    /// Serves until QEMU ends.
    func serve() async throws(DeviceError) {
        try send(.hello, reader: .max, [0x56, 0x53, 0x43, 0x44, 0, 0, 0, 2, 0, 0, 0, 0])
        try send(.readerAdded, reader: .max, Array("card\0".utf8))
        order(.insert)
        while true {
            do throws(DeviceError) {
                received += try incoming.read(atMost: Self.largestMessage, by: .never)
            } catch .cancelled {
                thread.cancelEvent.clear()
                for hand in orders.withLock({ orders in
                    defer { orders = [] }; return orders
                }) { try await obey(hand) }
            } catch {
                throw error
            }
            while let (message, data) = try takeMessage() {
                switch message {
                case .command: try await answer(data)
                case .flush: try send(.flushed, reader: 0, [])
                default: continue
                }
            }
        }
    }

    /// The first whole message of what has come in.
    private func takeMessage() throws(DeviceError) -> (Message?, [UInt8])? {
        guard received.count >= 12 else { return nil }
        let numbers = (0..<3).map { word in received[(4 * word)..<(4 * word + 4)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } }
        guard numbers[2] <= UInt32(Self.largestMessage) else { throw .malformed("a message of \(numbers[2]) bytes") }
        let end = 12 + Int(numbers[2])
        guard received.count >= end else { return nil }
        defer { received.removeFirst(end) }
        return (Message(rawValue: numbers[0]), Array(received[12..<end]))
    }

    private func obey(_ hand: Hand) async throws(DeviceError) {
        switch hand {
        case .insert:
            card = T0CardSide(await makeCard())
            try send(.answerToReset, reader: 0, answerToReset)
        case .remove:
            card = nil
            try send(.cardRemoved, reader: 0, [])
        }
    }

    private func answer(_ command: [UInt8]) async throws(DeviceError) {
        guard var present = card else { return }
        // A card that fails says no more than that.
        let answer = (try? await present.answer(command)) ?? [0x6F, 0x00]
        card = present
        try send(.command, reader: 0, answer)
    }

    private func send(_ message: Message, reader: UInt32, _ data: [UInt8]) throws(DeviceError) {
        let head = [message.rawValue, reader, UInt32(data.count)].flatMap { word in
            [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> UInt32($0)) }
        }
        try outgoing.write(head + data, by: .after(.seconds(10)))
    }

    private static func connected(_ path: String) async throws -> CInt {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let fits = unsafe withUnsafeMutableBytes(of: &address.sun_path) { bytes in
            guard path.utf8.count < bytes.count else { return false }
            unsafe bytes.copyBytes(from: Array(path.utf8))
            return true
        }
        guard fits else { throw InputError("\(path): too long for the name of a socket") }
        for _ in 0..<600 {
            let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            let status = unsafe withUnsafePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            if status == 0 { return descriptor }
            close(descriptor)
            try await Task.sleep(for: .milliseconds(100))
        }
        throw InputError("\(path): nobody listens there; start QEMU with -chardev socket,path=\(path),server=on,wait=off")
    }
}
