import Foundation
import Testing

/// What the parser of arguments says of a published test number in a wrong place: of any command,
/// as of our own messages.
@Suite(.timeLimit(.minutes(20))) struct ParserMessageTests {
    private static let number = "4111111111111111"
    private static let placed: [[String]] = [
        ["sale", "--amount", number], ["sale", "1.00", number], ["sale", "--\(number)", "1.00"],
        ["sale", "1.00", "--card"],
        ["demo", number], ["demo", "4111", "1111", "1111", "1111"], ["demo", "4111-1111-1111-1111"],
        ["demo", "a\n4111111111111111\nError: b"], ["demo", "--host=\(number)"],
        ["monitor", number], ["readers", number], ["swipe", "--seconds", number + "x"],
        ["swipe", "--seconds=\(number)x"],
        ["swipe", "--layout", "\u{1B}[31m\(number)"], ["doctor", "\u{202E}\(number)"],
        ["host", "serve", "--listen", "a", number],
        ["host", "inspect", "--limit", "x\(number)\u{7}"], ["replay", "--jobs", number + "x", "a.apdu"],
        ["convert", "--to", number],
        ["decode", "--\(number)"], ["decode", "9F02", "--tag"], ["explain", "a.apdu", number, number],
        ["card", "make", "a", "b", number],
        ["config", "show", "a", number], ["exceptions", "make", number],
        ["device", "list", "\u{1B}]0;x\u{7}\(number)"],
        ["plan", "run", "--jobs", "\(number)x"],
        ["udev", number], ["secure-card", "show", "a", number], ["record", number],
    ]

    @Test("A word that has no place there is shown without card numbers and control characters", arguments: placed)
    func words(_ arguments: [String]) async throws {
        try await inWorkspace { place in
            let run = try await place.run(Executables.cardpresent, arguments)
            let shown = run.output + run.errors
            #expect(run.status == 64, "\(arguments): \(shown)")
            #expect(run.output.isEmpty, "\(arguments)")
            let digits = shown.filter(\.isNumber)
            #expect(!digits.contains(Self.number), "\(arguments): \(shown)")
            #expect(
                !shown.unicodeScalars.contains {
                    $0 != "\n" && [.control, .format].contains($0.properties.generalCategory)
                }, "\(arguments)"
            )
            #expect(shown.hasPrefix("Error: "), "\(arguments): \(shown)")
            #expect(shown.contains("Usage: cardpresent"), "\(arguments): \(shown)")
            #expect(shown.components(separatedBy: "Error: ").count <= 3, "\(arguments): \(shown)")
            #expect(!shown.contains("\nError: "), "\(arguments): \(shown)")
        }
    }

    @Test("Help and versions are as they were") func help() async throws {
        try await inWorkspace { place in
            let help = try await place.run("sale", "--help")
            #expect(help.status == 0)
            #expect(help.errors.isEmpty)
            #expect(help.output.contains("USAGE: cardpresent sale"))
            let version = try await place.run("--version")
            #expect(version.status == 0)
            #expect(version.errors.isEmpty)
            #expect(!version.output.isEmpty)
        }
    }
}
