import BenchHost
import BenchHostServer
import Bytes
import CardCryptography
import Foundation
import PaymentTerminal

/// The bench host behind HTTP, to be killed from outside. It prints `port` and `key`, an API key
/// that is new each time, and serves until then.
enum HostLane {
    static func serve(_ folder: String) async throws {
        // Test keys: the issuer's of the cards that the tests put together, and the PIN pads' of
        // ANSI X9.24-1:2009, annex A.4.
        let key = try CardKey(SecretBytes([UInt8](hex: "2315208C9110AD402315208C9110AD40")), .tdes)
        let issuer = TestIssuer(
            profiles: [
                IssuerProfile(
                    leadingDigits: "476173",
                    masterKeys: MasterKeySet(applicationCryptogram: key, integrity: key, confidentiality: key),
                    cryptogram: .visa18)
            ])
        let host = try BenchHost(
            folder: folder, vaultKey: SecretBytes([UInt8](repeating: 0x5A, count: 32)), issuer: issuer)
        try await host.save(BenchTerminal(settings: .bench, secret: SecretBytes("sandboxEUR".utf8)))
        let apiKey = try await host.makeAPIKey(
            alias: "crash \(UUID().uuidString)", terminals: [HostSettings.bench.terminalID])
        let server = try BenchHostServer(host, BenchHostServer.Configuration())
        try await server.run { port in
            print("key \(String(decoding: apiKey.revealed(), as: UTF8.self))\nport \(port)")
            fflush(nil)
        }
    }
}
