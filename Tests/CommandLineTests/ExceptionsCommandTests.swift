import Foundation
import Testing

@Suite("cardpresent exceptions") struct ExceptionsCommandTests {
    private func run(_ place: Workspace, _ arguments: [String], input: String) async throws -> Run {
        try await place.run(Executables.cardpresent, ["exceptions"] + arguments, input: input)
    }

    private func key(_ place: Workspace) throws -> String {
        let path = try place.file("key", String(repeating: "42", count: 32) + "\n")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        return path
    }

    @Test("a list is made of card numbers, and looked up by them") func madeAndLookedUp() async throws {
        try await inWorkspace { place in
            let key = try key(place)
            let list = place.path("list")
            let made = try await run(
                place, ["make", "--key", key, "--output", list], input: "4111111111111111\n\n5555555555554444 02\n")
            #expect(made.status == 0)
            #expect(made.errors.isEmpty)
            let text = try place.text("list")
            #expect(text.split(separator: "\n").count == 3)
            #expect(!text.contains("41111"))
            #expect(!text.contains("55555"))
            let listed = try await run(
                place, ["check", list, "--key", key], input: "4000000000000002\n5555555555554444 02\n")
            #expect(listed.status == 1)
            #expect(listed.output == "2 entries, 2 cards looked up\ncard 2 is listed\n")
            let json = try await run(
                place, ["check", list, "--key", key, "--json"], input: "4000000000000002\n5555555555554444 02\n")
            let document = try #require(
                try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
            #expect(json.status == 1)
            #expect(document["listed"] as? [Int] == [2])
            #expect(document["entries"] as? Int == 2)
            let other = try await run(place, ["check", list, "--key", key], input: "5555555555554444 01\n")
            #expect(other.status == 0)
            #expect(other.output == "2 entries, 1 card looked up\nno card is listed\n")
            let again = try await run(place, ["make", "--key", key, "--output", list], input: "4111111111111111\n")
            #expect(again.status == 2)
            #expect(again.complaint?.contains("exists: give another name, or --force") == true)
            #expect(try place.text("list") == text)
            let forced = try await run(
                place, ["make", "--key", key, "--output", list, "--force"], input: "4111111111111111\n")
            #expect(forced.status == 0)
            #expect(try place.text("list") != text)
        }
    }

    @Test(
        "what is wrong is named by its line, without its digits",
        arguments: [
            ("4111111111111112\n", "standard input, line 1: not a card number"),
            ("4111111111111111\n4111111111111111 2\n", "standard input, line 2: a PAN sequence number has two digits"),
            ("", "standard input: no card number"),
        ])
    func badInput(_ input: String, _ complaint: String) async throws {
        try await inWorkspace { place in
            let made = try await run(place, ["make", "--key", try key(place)], input: input)
            #expect(made.status == 2)
            #expect(made.output.isEmpty)
            #expect(made.complaint?.contains(complaint) == true, "\(made.errors)")
            #expect(!made.errors.contains("411111"), "\(made.errors)")
        }
    }

    @Test("a key that others can read is refused, with the cure") func exposedKey() async throws {
        try await inWorkspace { place in
            let key = try key(place)
            try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: key)
            let made = try await run(place, ["make", "--key", key], input: "4111111111111111\n")
            #expect(made.status == 2)
            #expect(made.complaint?.contains("chmod 600 \(key)") == true)
        }
    }
}
