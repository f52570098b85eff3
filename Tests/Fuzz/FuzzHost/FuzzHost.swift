import BenchHost
import BenchHostServer
import CFuzzer
import Dispatch
import Foundation
import Glibc
import Modules
import Synchronization
import WorldNet

@c(FuzzHost_main)
public func start(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
    run_fuzzer(count, arguments) { fuzz($0, $1) }
}

/// What a client may send to the bench host, over HTTP: the first byte says whether it comes as it
/// is, as a request of a terminal over REST, or as a message of a terminal over XML. The host
/// answers or closes, and serves the next one.
private func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let start, count > 0 else { return 0 }
    let rest = Array(UnsafeBufferPointer(start: start + 1, count: count - 1))
    switch start[0] % 3 {
    case 0: _ = Served.shared.ask(rest)
    case 1:
        // The line of the request, then its body.
        let line = rest.prefix { $0 != 0x0A }.filter { (0x20...0x7E).contains($0) }
        _ = Served.shared.ask(
            request(String(decoding: line, as: UTF8.self), Array(rest.drop { $0 != 0x0A }.dropFirst())))
    default:
        var body = rest
        if let element = try? XMLElement(parsing: rest), let message = try? XMLMessage(element, among: forms) {
            body = message.element(Served.hash).document
        }
        let answer = Served.shared.ask(request("POST /merchant/xmlpayment", body))
        precondition(answer.starts(with: "HTTP/1.1 200".utf8), "the XML interface answers what comes to it")
    }
    return 0
}

private let forms = XMLForm.exchanges.map(\.request)

private func request(_ line: String, _ body: [UInt8]) -> [UInt8] {
    let head = """
        \(line) HTTP/1.1\r\nHost: fuzz\r\nAuthorization: Bearer \(Served.shared.token)\r\nConnection: close\r
        Content-Length: \(body.count)\r\n\r\n
        """
    return Array(head.utf8) + body
}

/// A bench host on a port of this machine, in a folder of its own.
private final class Served: Sendable {
    static let shared = Served()
    static let hash = MessageHash(secret: secret)
    private static let secret = SecretBytes("fuzz".utf8)
    let token: String
    private let port: UInt16

    private init() {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("fuzz-host-\(getpid())").path
        let ready = DispatchSemaphore(value: 0)
        let found = Mutex<(port: Int, key: String)>((0, ""))
        Task {
            var rules = HostRules()
            rules.playsFaults = false
            let host = try BenchHost(
                folder: folder, vaultKey: SecretBytes([UInt8](repeating: 0x5A, count: 32)),
                issuer: TestIssuer(profiles: []), rules: rules)
            try await host.save(BenchTerminal(settings: .bench, secret: Self.secret))
            let key = try await host.makeAPIKey(alias: "fuzz", terminals: [HostSettings.bench.terminalID])
            var configuration = BenchHostServer.Configuration()
            configuration.limits.requests = nil
            configuration.limits.refusals = nil
            try await BenchHostServer(host, configuration).run { port in
                found.withLock { $0 = (port, String(decoding: key.revealed(), as: UTF8.self)) }
                ready.signal()
            }
        }
        ready.wait()
        let (port, key) = found.withLock { $0 }
        self.port = UInt16(exactly: port) ?? 0
        let head = "GET /merchant/api/v1/account/authenticate HTTP/1.1\r\nHost: fuzz\r\nConnection: close\r\n"
        let answer = Self.ask(self.port, Array("\(head)Authorization: Basic \(key)\r\n\r\n".utf8))
        guard let token = String(decoding: answer, as: UTF8.self).firstMatch(of: /"token":"([0-9a-f]+)"/) else {
            fatalError("no token")
        }
        self.token = String(token.1)
    }

    /// What comes until the host closes the connection.
    func ask(_ bytes: [UInt8]) -> [UInt8] { Self.ask(port, bytes) }

    private static func ask(_ port: UInt16, _ bytes: [UInt8]) -> [UInt8] {
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        precondition(status == 0, "the host takes no connection any more")
        _ = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
        shutdown(descriptor, CInt(SHUT_WR))
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while case let count = read(descriptor, &buffer, buffer.count), count > 0 { answer += buffer.prefix(count) }
        return answer
    }
}
