import BenchHost
import BenchHostServer
import Bytes
import CardCryptography
import Foundation
import PaymentTerminal
import VirtualCard

/// The bench host behind TLS, until it is killed.
enum LaneHost {
    static let secret = SecretBytes("sandboxEUR".utf8)

    static func serve(_ folder: String, certificate: (chain: String, key: String)) async throws {
        let issuer = TestIssuer(
            profiles: [IssuerProfile(leadingDigits: "476173", masterKeys: .testIssuerKeys, cryptogram: .visa18)])
        let host = try BenchHost(
            folder: folder, vaultKey: SecretBytes([UInt8](repeating: 0x5A, count: 32)), issuer: issuer)
        try await host.save(BenchTerminal(settings: .bench, secret: secret))
        let apiKey = try await host.makeAPIKey(alias: "lane", terminals: [HostSettings.bench.terminalID])
        let server = try BenchHostServer(host, BenchHostServer.Configuration(certificate: certificate))
        try await server.run { port in
            print("key \(String(decoding: apiKey.revealed(), as: UTF8.self))\nport \(port)")
            fflush(nil)
        }
    }
}
