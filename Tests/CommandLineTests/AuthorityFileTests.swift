import Foundation
import Testing

/// `cardpresent card serve --authority`: the file with the keys. Nobody listens where the card is
/// offered, so the command ends when it has its files.
@Suite("The keys of a virtual card's authority in a file", .timeLimit(.minutes(20))) struct AuthorityFileTests {
    private func serve(_ place: Workspace, _ card: String, keys: String) async throws -> String? {
        let run = try await place.run(
            Executables.cardpresent,
            ["card", "serve", "--vpcd", "--vpcd-address", "127.0.0.1:1", "--wait", "0", "--card", card]
                + ["--authority", place.path("authority.pem"), "--ca-keys", place.path(keys)])
        #expect(run.status == 2)
        #expect(run.output.isEmpty)
        return run.complaint
    }

    /// Exponent, modulus and check value of the RSA key, without its provider.
    private func rsaKey(_ place: Workspace, _ file: String) throws -> [Substring] {
        let line = try place.text(file).split(separator: "\n").first { $0.split(separator: "\t").count == 6 }
        return Array(try #require(line).split(separator: "\t")[3...4])
    }

    @Test("created for its owner alone, and the CA keys are the same at each start, whatever card is served")
    func kept() async throws {
        try await inWorkspace { place in
            for (card, keys) in [("visa", "1.tsv"), ("visa", "2.tsv"), ("mastercard", "3.tsv")] {
                let complaint = try await serve(place, card, keys: keys)
                #expect(complaint?.contains("127.0.0.1:1: connection refused") == true, "\(complaint ?? "")")
            }
            let mode =
                try FileManager.default.attributesOfItem(atPath: place.path("authority.pem"))[.posixPermissions] as? Int
            #expect(mode == 0o600)
            #expect(try place.text("1.tsv") == place.text("2.tsv"))
            #expect(try rsaKey(place, "1.tsv") == rsaKey(place, "3.tsv"))
        }
    }

    @Test(
        "a file of others, of another kind, damaged or of other lengths is refused with its reason, and stays as it is")
    func refused()
        async throws
    {
        try await inWorkspace { place in
            _ = try await serve(place, "visa", keys: "1.tsv")
            let text = try place.text("authority.pem")
            let card = Vectors.folder.appending(path: "cards/visa-credit.json")
            let longer = try place.file(
                "longer.json",
                String(contentsOf: card, encoding: .utf8).replacing(
                    "{", with: #"{ "keys": {"authorityBits": 1416},"#, maxReplacements: 1))
            let cases: [(text: String, mode: Int, card: String, reason: String)] = [
                (text, 0o644, "visa", "chmod 600"), ("an order for coffee\n", 0o600, "visa", "no private keys in PEM"),
                (String(text.dropLast(20)), 0o600, "visa", "does not end"),
                ("", 0o600, "visa", "no private keys in PEM"),
                (text, 0o600, longer, "authorityBits"),
            ]
            for (index, test) in cases.enumerated() {
                try FileManager.default.removeItem(atPath: place.path("authority.pem"))
                _ = try place.file("authority.pem", test.text)
                try FileManager.default.setAttributes(
                    [.posixPermissions: test.mode], ofItemAtPath: place.path("authority.pem"))
                let complaint = try await serve(place, test.card, keys: "refused.tsv")
                #expect(complaint?.contains("authority.pem") == true, "\(complaint ?? "")")
                #expect(complaint?.contains(test.reason) == true, "\(complaint ?? "")")
                #expect(complaint?.contains("MII") != true, "number \(index)")
                #expect(!place.exists("refused.tsv"), "number \(index)")
                #expect(try place.text("authority.pem") == test.text)
            }
        }
    }
}
