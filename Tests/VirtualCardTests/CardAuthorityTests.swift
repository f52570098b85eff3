import Bytes
import CardCryptography
import EMVKernel
import Foundation
import TLV
import Testing

@testable import VirtualCard

/// Keys of an authority and an issuer that are kept from one start to the next.
@Suite("An authority that is kept") struct CardAuthorityTests {
    private static let kept = Result { () throws(PersonalizationError) in try CardAuthority.generate().pem }

    private static let profiles: [CardProfile] = [
        .visaStyle(), .mastercardStyle(), .kernel8Style(), .ellipticCurveStyle(.p256), .ellipticCurveStyle(.p521),
    ]

    /// EMV 4.4 Book 3, 10.3: with the right CA key, the method that both have leaves no bit of a
    /// failed one.
    @Test("a terminal with the CA keys of one card authenticates the next one", arguments: profiles)
    func nextCard(_ profile: CardProfile) async throws {
        let text = try Self.kept.get()
        let (first, second) = (
            try PersonalizedCard.make(profile, under: CardAuthority(pem: text)),
            try PersonalizedCard.make(profile, under: CardAuthority(pem: text))
        )
        #expect(first.caPublicKeys.map(\.key) == second.caPublicKeys.map(\.key))
        #expect(
            first.caPublicKeys.map(\.key) != (try PersonalizedCard.make(profile).caPublicKeys.map(\.key)),
            "another one has others")
        var bench = Bench(second)
        bench.configuration.caKeys = first.caPublicKeys
        bench.configuration.capabilities.insert(.xda)
        let (outcome, events) = await bench.run(VirtualCard(second))
        #expect(outcome.tsi.contains(.offlineDataAuthentication))
        let isAuthenticated = events.contains { event in
            if case .dataAuthentication(_, nil) = event { true } else { false }
        }
        #expect(isAuthenticated, "\(events)")
        #expect(
            outcome.tvr.isDisjoint(with: [
                .offlineDataAuthenticationNotPerformed, .sdaFailed, .ddaFailed, .cdaFailed, .xdaSignatureFailed,
                .caECCKeyMissing, .eccKeyRecoveryFailed,
            ]), "\(outcome.tvr)")
    }

    /// `openssl pkey -check` verifies that the parts of a key belong together.
    @Test("libcrypto's own program reads each of the six keys") func openssl() throws {
        let parts = String(decoding: try Self.kept.get().revealed(), as: UTF8.self).components(
            separatedBy: "-----BEGIN"
        ).dropFirst()
        #expect(parts.count == 6)
        for part in parts {
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments = ["openssl", "pkey", "-noout", "-check"]
            let input = Pipe()
            process.standardInput = input
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            try input.fileHandleForWriting.write(contentsOf: Data("-----BEGIN\(part)".utf8))
            try input.fileHandleForWriting.close()
            process.waitUntilExit()
            #expect(process.terminationStatus == 0, "\(part.prefix(20))")
        }
    }

    private static func read(_ change: (inout [String]) -> Void) throws -> CardAuthority.Damage? {
        let text = String(decoding: try kept.get().revealed(), as: UTF8.self)
        var parts = text.components(separatedBy: "-----END PRIVATE KEY-----\n").filter { !$0.isEmpty }.map {
            $0 + "-----END PRIVATE KEY-----\n"
        }
        change(&parts)
        do throws(CardAuthority.Damage) {
            _ = try CardAuthority(pem: SecretBytes(parts.joined().utf8))
            return nil
        } catch {
            return error
        }
    }

    @Test("a text that has not six keys, each in its place and whole, is refused with its reason") func damaged() throws
    {
        #expect(try Self.read { _ in } == nil)
        #expect(try Self.read { $0 = [] } == .keys(0))
        #expect(try Self.read { $0 = ["an order for coffee\n"] } == .keys(0))
        #expect(try Self.read { $0.removeLast() } == .keys(5))
        #expect(try Self.read { $0.append($0[5]) } == .keys(7))
        #expect(try Self.read { $0.swapAt(1, 2) } == .key(.issuer))
        #expect(try Self.read { $0.swapAt(3, 4) } == .key(.issuerOnP256))
        #expect(try Self.read { $0[5] = String($0[5].dropLast(30)) } == .unfinished)
        for index in 0..<6 {
            // A digit of the key's body is another one, or is missing.
            #expect(
                try Self.read { $0[index] = $0[index].replacing("PRIVATE KEY-----\nM", with: "PRIVATE KEY-----\nN") }
                    != nil, "\(index)")
            #expect(
                try Self.read { $0[index] = $0[index].replacing("PRIVATE KEY-----\nM", with: "PRIVATE KEY-----\n") }
                    != nil, "\(index)")
        }
        #expect(
            try Self.read { parts in parts = parts.map { $0.replacing("PRIVATE KEY", with: "ENCRYPTED PRIVATE KEY") } }
                == .keys(0))
        for damage in [CardAuthority.Damage.keys(0), .keys(5), .keys(7), .unfinished, .key(.issuer)] {
            #expect(!"\(damage)".isEmpty)
            #expect(!"\(damage)".contains("\n"))
        }
    }

    @Test("the lengths of its RSA keys and their exponent are compared with a profile's") func lengths() throws {
        let authority = try CardAuthority.generate(
            RSAKeySizes(certificationAuthority: 768, issuer: 640, icc: 512, exponent: 65537))
        #expect(authority.fits(RSAKeySizes(certificationAuthority: 768, issuer: 640, icc: 1024, exponent: 65537)))
        #expect(!authority.fits(RSAKeySizes(certificationAuthority: 776, issuer: 640, exponent: 65537)))
        #expect(!authority.fits(RSAKeySizes(certificationAuthority: 768, issuer: 648, exponent: 65537)))
        #expect(!authority.fits(RSAKeySizes(certificationAuthority: 768, issuer: 640, exponent: 3)))
    }
}
