import Foundation
import Testing

/// Keys are taken from files that nobody else can read or change, by every option that names one.
@Suite(.timeLimit(.minutes(20))) struct SecretFileCommandTests {
    private static let number = "4761739001010119\n"

    /// Each command with an option that names a file with a secret, and the option.
    private static let commands = ofOneKey + ofTills

    private static let ofOneKey: [(arguments: [String], option: String)] = [
        (["swipe", "--device", "/dev/null", "--family", "MSR605"], "--key-file"),
        (["sale", "1.00", "--reader", "miura:/dev/null"], "--key-file"),
        (["record", "1.00", "--reader", "miura:/dev/null", "--output", "log.apdu"], "--key-file"),
        (["till", "--reader", "miura:/dev/null"], "--key-file"),
        (["refund", "1.00", "--reader", "miura:/dev/null"], "--key-file"),
        (["secure-card", "register", "customer", "--reader", "miura:/dev/null"], "--key-file"),
        (["secure-card", "edit", "customer", "--reader", "miura:/dev/null"], "--key-file"),
        (["replay", Vectors.trace("visa-contact-online")], "--kernel-8-key"),
        (["replay", Vectors.trace("visa-contact-online"), Vectors.trace("visa-contact-online")], "--kernel-8-key"),
        (["explain", Vectors.trace("visa-contact-online")], "--kernel-8-key"),
        (
            [
                "device", "package", "make", "--maker", "M", "--version-name", "1", "--file", "miura-file=x",
                "--output", "p.zip",
            ], "--key"
        ),
        (["exceptions", "make", "--output", "list.txt"], "--key"), (["exceptions", "check", "list.txt"], "--key"),
        (["host", "serve", "--certificate", "chain.pem"], "--key"), (["host", "serve"], "--vault-key"),
        (["host", "inspect"], "--vault-key"), (["host", "purge"], "--vault-key"),
        (["host", "seed", "--terminal", "T1", "--api-key", "k"], "--vault-key"),
        (["journal", "show", "folder"], "--key"), (["journal", "pending", "folder"], "--key"),
        (["journal", "check", "folder"], "--key"), (["journal", "backup", "folder", "--to", "copy"], "--key"),
        (["journal", "export", "folder"], "--key"), (["journal", "rotate", "folder"], "--key"),
        (
            [
                "print", "receipt", "folder", "--order", "o-1", "--profile", "epson-tm-t88v", "--simulate", "slip.png",
            ], "--key"
        ),
    ]

    private static let ofTills: [(arguments: [String], option: String)] = tills.flatMap { till in
        [
            (till, "--vault-key"), (till + gateway + ["--journal-key", "@key"], "--api-key-file"),
            (till + gateway + ["--api-key-file", "@key"], "--journal-key"),
        ] as [([String], String)]
    }

    /// The commands that ask a host.
    private static let tills = [
        ["sale", "1.00"], ["refund", "1.00"], ["capture", "1", "1.00"], ["reverse", "o-1"], ["transactions"],
        ["settings"], ["till"], ["record", "1.00", "--output", "log.apdu"], ["secure-card", "register", "customer"],
        ["secure-card", "edit", "customer"], ["secure-card", "show", "customer"],
        ["secure-card", "delete", "customer"],
    ]

    /// Its files are in the workspace.
    private static let gateway = [
        "--gateway", "http://127.0.0.1:1/merchant", "--terminal", "@terminal", "--journal", "till",
    ]

    @Test("A file that others can read, and a link, are refused with the cure", arguments: commands.indices)
    func refused(_ index: Int) async throws {
        let (command, option) = Self.commands[index]
        try await inWorkspace { place in
            var arguments = command
            if arguments.contains("@terminal") {
                let files = [
                    "@terminal": try place.file("terminal.json", try await place.run("config", "show").output),
                    "@key": try place.secret("other.txt", String(repeating: "5a", count: 32) + "\n"),
                ]
                arguments = arguments.map { files[$0] ?? $0 }
            }
            if arguments.contains("chain.pem") {
                let request = [
                    "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj",
                    "/CN=localhost",
                ]
                _ = try await place.run("/usr/bin/openssl", request + ["-keyout", "other.pem", "-out", "chain.pem"])
            }
            let key = try place.secret("key.txt", "tdes base 0123456789ABCDEFFEDCBA9876543210\n")
            try FileManager.default.createSymbolicLink(atPath: place.path("link.txt"), withDestinationPath: key)
            let linked = try await place.run(
                Executables.cardpresent, arguments + [option, place.path("link.txt")], input: Self.number)
            #expect(linked.status != 0, "\(arguments): \(linked.errors)")
            #expect(linked.errors.contains("symbolic link"), "\(arguments): \(linked.errors)")
            try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: key)
            let open = try await place.run(Executables.cardpresent, arguments + [option, key], input: Self.number)
            #expect(open.status != 0, "\(arguments): \(open.errors)")
            #expect(open.errors.contains("chmod 600"), "\(arguments): \(open.errors)")
        }
    }

    /// Options with "key" in their names that name no secret file: public keys, a key that the
    /// bench host is to have, the digits of a test card's key, an age, and what is refused where no
    /// card is read.
    private static let others: Set = ["--ca-keys", "--api-key", "--issuer-key", "--max-key-age"]
    private static let unused: Set = [["secure-card", "show"], ["secure-card", "delete"]]

    @Test(
        "Every option with a key in its name is in the table",
        arguments: ["cardpresent", "cardpresent-bench"])
    func complete(_ executable: String) async throws {
        try await inWorkspace { place in
            let run = try await place.run(Executables.path(executable), ["--experimental-dump-help"])
            let root = try JSONDecoder().decode(Help.self, from: Data(run.output.utf8)).command
            for (path, option) in root.keyOptions([])
            where !Self.others.contains(option) && !(option == "--key-file" && Self.unused.contains(path)) {
                #expect(
                    Self.commands.contains { $0.option == option && $0.arguments.starts(with: path) },
                    "\(path.joined(separator: " ")) \(option)")
            }
        }
    }

    private struct Help: Decodable {
        let command: Command
    }

    private struct Command: Decodable {
        struct Argument: Decodable {
            struct Name: Decodable {
                let kind, name: String
            }

            let kind: String
            let names: [Name]?
        }

        let commandName: String
        let arguments: [Argument]?
        let subcommands: [Command]?

        /// Each option with a key in its name, with the command's words.
        func keyOptions(_ path: [String]) -> [(path: [String], option: String)] {
            let options = (arguments ?? []).filter { $0.kind == "option" }.flatMap { $0.names ?? [] }
            return options.filter { $0.name.contains("key") }.map { (path, "--" + $0.name) }
                + (subcommands ?? []).flatMap { $0.keyOptions(path + [$0.commandName]) }
        }
    }
}
