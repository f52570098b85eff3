import BenchHost
import BenchHostServer
import Bytes
import CardCapture
import Foundation
import Gateways
import PaymentDoubles
import PaymentTerminal
import Testing

/// Each way not to reach a host, over each interface: a code, a text and a line of the log that
/// tell it from the others, and no request that is taken for a lost one.
@Suite("Why a host is not reached") struct HostFaultTests {
    /// The error of a question, which has no body, and of a payment, over each interface.
    private func errors(
        at text: String, key: SecretBytes? = nil, _ options: ConnectionOptions
    ) async throws -> [HostError] {
        let address = try GatewayAddress(text)
        let rest = try RESTGateway(
            address, account: .init(terminalID: HostBench.terminalID, apiKey: key ?? SecretBytes("key".utf8)),
            options: options)
        let xml = try XMLGateway(
            address, account: .init(terminalID: HostBench.terminalID, secret: HostBench.secret), options: options
        ) { Timestamp(secondsSince1970: 1_773_057_909) }
        let calls: [@Sendable () async throws -> Void] = [
            { _ = try await rest.settings() }, { _ = try await rest.authorize(request("o1", "10.00", keyed())) },
            { _ = try await xml.knowsReferencedRequestsByOrder() },
            { _ = try await xml.authorize(request("o1", "10.00", keyed())) },
        ]
        var errors: [HostError] = []
        for call in calls {
            do {
                try await call()
                Issue.record("\(text) was reached")
            } catch let error as HostError {
                errors.append(error)
            }
        }
        return errors
    }

    private func expect(_ fault: HostError.Fault, at text: String, _ options: ConnectionOptions, saying words: String)
        async throws
    {
        let log = LogLines()
        var options = options
        options.logger = log.logger
        for error in try await errors(at: text, options) {
            #expect(error.code == .failed(.unreachable), "\(fault): \(error)")
            #expect(error.fault == fault, "\(error)")
            #expect(error.message.contains(words), "\(error)")
        }
        let lines = log.text.split(separator: "\n")
        #expect(lines.count == 4, "\(log.text)")
        #expect(lines.allSatisfy { $0.hasPrefix("warning") && $0.contains(words) }, "\(log.text)")
    }

    /// RFC 6761, 6.4: names below `invalid` do not exist.
    @Test("a name that does not exist") func nameNotFound() async throws {
        try await expect(
            .nameNotFound, at: "https://host.invalid/merchant", ConnectionOptions(), saying: "its name is not known")
    }

    @Test(
        "nobody listens",
        arguments: ["http://127.0.0.1:1", "http://localhost:1", "http://[::1]:1", "https://127.0.0.1:1"])
    func refused(_ address: String) async throws {
        try await expect(.connectionRefused, at: address, ConnectionOptions(), saying: "the connection was refused")
    }

    @Test("a host that does not say a word of TLS") func silent() async throws {
        let listener = try SilentListener()
        let options = ConnectionOptions(connectTimeout: .milliseconds(100))
        try await expect(.timedOut, at: "https://127.0.0.1:\(listener.port)", options, saying: "timed out")
    }

    @Test("a host without TLS") func noTLS() async throws {
        let bench = try await HostBench()
        let port = try await bench.serve()
        try await expect(
            .noTLS, at: "https://127.0.0.1:\(port)/merchant", ConnectionOptions(), saying: "no TLS 1.2 or later")
    }

    @Test("a certificate that the host should not have: no byte of a request leaves", arguments: FlawedCertificate.all)
    func certificates(_ flawed: FlawedCertificate) async throws {
        let bench = try await HostBench()
        let (chain, key) = try flawed.make(in: bench.folder)
        let port = try await bench.serve { $0.certificate = (chain, key) }
        var options = ConnectionOptions()
        if flawed.isTrusted { options.trustedCertificates = chain }
        try await expect(flawed.fault, at: "https://\(flawed.host):\(port)/merchant", options, saying: flawed.words)
        #expect(!bench.log.text.contains("authenticate"), "\(bench.log.text)")
    }

    @Test("a certificate without a flaw", arguments: ["ec:P-256", "rsa:2048"]) func good(_ kind: String) async throws {
        let bench = try await HostBench()
        let certificate = FlawedCertificate("", .certificateUnfit, "", key: kind)
        let (chain, key) = try certificate.make(in: bench.folder)
        let port = try await bench.serve { $0.certificate = (chain, key) }
        var options = ConnectionOptions()
        options.trustedCertificates = chain
        let gateway = try RESTGateway(
            GatewayAddress("https://localhost:\(port)/merchant"),
            account: .init(terminalID: HostBench.terminalID, apiKey: bench.apiKey),
            options: options)
        #expect(try await gateway.settings() == .bench)
    }

    /// The answer may be a proxy's, which has passed the payment on: over XML, where the payment is
    /// the first request, its outcome stays open.
    @Test("a path that a server does not know") func wrongPath() async throws {
        let bench = try await HostBench()
        let port = try await bench.serve()
        let errors = try await errors(at: "http://127.0.0.1:\(port)/elsewhere", bench.options)
        #expect(
            errors.map(\.code) == [
                .failed(.unreachable), .failed(.unreachable), .failed(.internalError), .failed(.noAnswer),
            ])
        for (index, error) in errors.enumerated() where index != 2 {
            #expect(error.fault == .wrongAddress, "\(error)")
            #expect(error.message.contains("404"), "\(error)")
        }
    }

    @Test("a key and a secret that the host does not know") func credentials() async throws {
        let bench = try await HostBench()
        let port = try await bench.serve()
        let address = try GatewayAddress("http://127.0.0.1:\(port)/merchant")
        let hosts: [any PaymentHost] = [
            try RESTGateway(
                address, account: .init(terminalID: HostBench.terminalID, apiKey: SecretBytes("guess".utf8))),
            try XMLGateway(address, account: .init(terminalID: HostBench.terminalID, secret: SecretBytes("guess".utf8)))
            {
                Timestamp(secondsSince1970: 1_773_057_909)
            },
        ]
        for host in hosts {
            let error = await #expect(throws: HostError.self) {
                _ = try await host.authorize(request("o1", "10.00", keyed()))
            }
            #expect(error?.code == .refused(.notAuthorized), "\(error as Any)")
            #expect(error?.fault == .credentialsRefused, "\(error as Any)")
        }
    }

    @Test("every fault has an error of its own") func different() {
        #expect(Set(FlawedCertificate.all.map(\.words)).count == FlawedCertificate.all.count)
    }
}

/// A certificate of one's own by openssl.
struct FlawedCertificate: Sendable, CustomTestStringConvertible {
    let name: String
    let fault: HostError.Fault
    let words: String
    var host = "localhost"
    var key = "ec:P-256"
    var digest = "-sha256"
    var days = 2
    var names: String? = "DNS:localhost,IP:127.0.0.1"
    var isTrusted = true

    var testDescription: String { name }

    init(
        _ name: String, _ fault: HostError.Fault, _ words: String, host: String = "localhost", key: String = "ec:P-256",
        digest: String = "-sha256", days: Int = 2, names: String? = "DNS:localhost,IP:127.0.0.1", isTrusted: Bool = true
    ) {
        (self.name, self.fault, self.words, self.host, self.key, self.digest) = (name, fault, words, host, key, digest)
        (self.days, self.names, self.isTrusted) = (days, names, isTrusted)
    }

    static let all = [
        FlawedCertificate("expired", .certificateExpired, "has expired", days: -1),
        FlawedCertificate(
            "other name", .certificateForOtherName, "is for another name", names: "DNS:other.example.com"),
        FlawedCertificate(
            "other address", .certificateForOtherName, "another name", host: "127.0.0.1", names: "IP:127.0.0.2"),
        FlawedCertificate("unknown authority", .certificateNotTrusted, "unknown authority", isTrusted: false),
        FlawedCertificate("short key", .certificateUnfit, "less than 2,048 bits", key: "rsa:1024"),
        FlawedCertificate("SHA-1", .certificateUnfit, "SHA-1", digest: "-sha1"),
        FlawedCertificate("a name in the subject only", .certificateUnfit, "no alternative name", names: nil),
        FlawedCertificate("every name", .certificateUnfit, "every name", names: "DNS:*"),
    ]

    func make(in folder: String) throws -> (chain: String, key: String) {
        let (chain, keyFile, request) = (folder + "/chain.pem", folder + "/key.pem", folder + "/request.pem")
        let kind = key.hasPrefix("ec:") ? ["ec", "-pkeyopt", "ec_paramgen_curve:\(key.dropFirst(3))"] : [key]
        let alternative = folder + "/names.cnf"
        try (names.map { "subjectAltName=\($0)\n" } ?? "\n").write(
            toFile: alternative, atomically: true, encoding: .utf8)
        try openssl(
            ["req", "-new", "-newkey"] + kind + [
                "-nodes", "-subj", "/CN=localhost", "-keyout", keyFile, "-out", request,
            ])
        try openssl([
            "x509", "-req", digest, "-days", String(days), "-in", request, "-signkey", keyFile, "-extfile", alternative,
            "-out", chain,
        ])
        return (chain, keyFile)
    }

    private func openssl(_ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }
}

/// A port of loopback where connections are made, and nothing is ever said.
private final class SilentListener {
    let port: UInt16
    private let descriptor: Int32

    init() throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = unsafe withUnsafeMutablePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(descriptor, $0, length) == 0 && listen(descriptor, 16) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        self.descriptor = descriptor
        port = UInt16(bigEndian: address.sin_port)
        try #require(isListening)
    }

    deinit { close(descriptor) }
}
