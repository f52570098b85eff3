import Foundation
import ReaderDoubles
import Testing

/// An emulated ABECS PIN pad on a pseudoterminal, with the identity of the specification's example
/// of GIX (ABECS 2.12, 3.2.4).
@Suite("cardpresent device", .timeLimit(.minutes(20))) struct DeviceCommandTests {
    private static let identity =
        Array("000040".utf8) + [0x80, 0x01, 0, 8] + Array("01927612".utf8) + [0x80, 0x03, 0, 10]
        + Array("PP2000;8MB".utf8)
        + [0x80, 0x04, 0, 6] + Array("SUBDIV".utf8) + [0x80, 0x07, 0, 0]

    private func pad(tables: String = "000") throws -> (pad: EmulatedPINPad, port: PseudoTerminalLine) {
        let answers = [
            "GIX": Self.identity, "TLI": Array("000".utf8), "TLR": Array(tables.utf8), "TLE": Array("000".utf8),
        ]
        let pad = EmulatedPINPad(answers: answers)
        return (pad, try PseudoTerminalLine { pad.live($0) })
    }

    private func run(_ place: Workspace, _ arguments: String...) async throws -> Run {
        try await place.run(Executables.cardpresent, ["device"] + arguments)
    }

    private func openssl(_ place: Workspace, _ arguments: String...) async throws {
        let run = try await place.run("/usr/bin/openssl", arguments)
        try #require(run.status == 0, "\(run.errors)")
    }

    /// Makes a package, and returns the arguments that name it.
    private func package(_ place: Workspace, version: String = "2026-11", isTest: Bool = false) async throws -> [String]
    {
        if !place.exists("signer.key") {
            try await openssl(
                place, "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", "signer.key")
            try await openssl(place, "pkey", "-in", "signer.key", "-pubout", "-out", "signer.pem")
        }
        _ = try place.file("tables.json", #"{"acquirer": 4, "version": "1234567890", "records": ["010AAAAAAA"]}"#)
        let made = try await place.run(
            Executables.cardpresent,
            [
                "device", "package", "make", "--key", "signer.key", "--maker", "SUBDIV", "--version-name", version,
                "--file",
                "abecs-tables=tables.json", "--output", "\(version).zip",
            ] + (isTest ? ["--test"] : []))
        try #require(made.status == 0 && made.errors.isEmpty && made.output.isEmpty, "\(made.errors)")
        return ["\(version).zip", "--signer", "signer.pem"]
    }

    private func json(_ run: Run) throws -> [String: Any] {
        let document = try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
        #expect(document["version"] as? Int == 1)
        return document
    }

    @Test("a package is made, checked, compared with a reader, loaded, and shown") func wholeWay() async throws {
        let (pad, port) = try self.pad()
        try await inWorkspace { place in
            let package = try await self.package(place)
            let reader = ["--family", "abecs", "--device", port.path, "--state", place.path("state")]
            func device(_ command: String, _ more: String...) async throws -> Run {
                try await place.run(Executables.cardpresent, ["device", command] + package + reader + more)
            }
            let needed = try await device("check")
            #expect(needed.status == 1, "\(needed)")
            #expect(
                needed.output.hasPrefix("SUBDIV PP2000;8MB 01927612: the reader was never configured\n"), "\(needed)")
            #expect(!place.exists("state"), "a check keeps nothing")
            #expect(!pad.commands.contains { $0.hasPrefix("TLI") })
            let loaded = try json(try await device("load", "--json"))
            #expect(loaded["isLoaded"] as? Bool == true)
            #expect(loaded["need"] as? String == "neverConfigured")
            #expect(loaded["packageVersion"] as? String == "2026-11")
            #expect(loaded["serialNumber"] as? String == "01927612")
            #expect(pad.commands.suffix(3) == ["TLI012041234567890", "TLR01201010AAAAAAA", "TLE"])

            let current = try await device("check", "--json")
            #expect(current.status == 0)
            #expect(try json(current)["needsPackage"] as? Bool == false)
            let again = try await device("load")
            #expect(again.status == 0)
            #expect(again.output == "SUBDIV PP2000;8MB 01927612: the reader has this package\n")
            let state = try await run(place, "state", "--state", place.path("state"), "--json")
            let readers = try #require(try json(state)["readers"] as? [[String: Any]])
            #expect(
                readers.count == 1 && readers[0]["installedVersion"] as? String == "2026-11"
                    && readers[0]["stage"] as? String == "production")

            let forgotten = try await run(place, "state", "--state", place.path("state"), "--forget", "01927612")
            #expect(forgotten.status == 0)
            #expect(forgotten.output.isEmpty)
            #expect(
                try await run(place, "state", "--state", place.path("state")).output
                    == "No reader was supplied from here.\n")
            #expect(try await run(place, "state", "--state", place.path("state"), "--forget", "01927612").status == 2)
        }
    }

    @Test("the error names what the reader refuses, and the load counts as interrupted") func refused() async throws {
        let (_, port) = try pad(tables: "011")
        try await inWorkspace { place in
            let package = try await self.package(place)
            let reader = ["--family", "abecs", "--device", port.path, "--state", "state"]
            let refused = try await place.run(Executables.cardpresent, ["device", "load"] + package + reader)
            #expect(refused.status == 2, "\(refused)")
            #expect(refused.output.isEmpty, "\(refused)")
            #expect(refused.complaint?.contains("rejects a parameter") == true, "\(refused)")
            let text = try await run(place, "state", "--state", "state")
            #expect(text.status == 0)
            #expect(text.output.contains("2026-11, 0 of 1 files"))
            let other = try await place.run(
                Executables.cardpresent,
                ["device", "load"] + package + [
                    "--test", "--family", "abecs", "--device", port.path, "--state", "state",
                ])
            #expect(other.status == 2)
            #expect(other.complaint?.contains("the package is for production") == true)
        }
    }

    @Test("the progress is a bar on a terminal") func progress() async throws {
        let (_, port) = try pad()
        try await inWorkspace { place in
            let package = try await self.package(place)
            let screen = try PseudoTerminal()
            defer { screen.close() }
            let loaded = try await place.run(
                "/bin/sh",
                [
                    "-c", "exec \"$0\" \"$@\" 2>/dev/stdout", Executables.cardpresent, "device", "load",
                ] + package + ["--family", "abecs", "--device", port.path, "--state", "state"], output: screen.screen)
            #expect(loaded.status == 0)
            let shown = screen.text()
            #expect(shown.contains("] 1 of 100"), "\(shown)")
            #expect(shown.contains("version 2026-11 is loaded"), "\(shown)")
        }
    }

    @Test("a package of another signer, and one that was changed, are refused") func badPackages() async throws {
        try await inWorkspace { place in
            let package = try await self.package(place)
            let checked = try await place.run(
                Executables.cardpresent, ["device", "package", "check"] + package + ["--json"])
            let document = try json(checked)
            #expect(document["maker"] as? String == "SUBDIV")
            #expect(document["stage"] as? String == "production")
            let files = try #require(document["files"] as? [[String: Any]])
            #expect(
                files.count == 1 && files[0]["name"] as? String == "tables.json"
                    && files[0]["loader"] as? String == "abecs-tables")

            try await openssl(
                place, "genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", "other.key")
            try await openssl(place, "pkey", "-in", "other.key", "-pubout", "-out", "other.pem")
            let foreign = try await run(place, "package", "check", "2026-11.zip", "--signer", "other.pem")
            #expect(foreign.status == 2)
            #expect(foreign.complaint?.contains("the signature of the package is not of this signer") == true)
            _ = try place.file("cut.zip", try place.contents("2026-11.zip").dropLast(4) + [])
            let cut = try await run(place, "package", "check", "cut.zip", "--signer", "signer.pem")
            #expect(cut.status == 2)
            #expect(cut.complaint?.contains("not a zip archive, or damaged") == true)
            let twice = try await run(
                place, "package", "make", "--key", "signer.key", "--maker", "SUBDIV", "--version-name", "1", "--file",
                "abecs-tables=tables.json", "--output", "2026-11.zip")
            #expect(twice.status == 2)
            #expect(twice.complaint?.contains("exists: give another name, or --force") == true)
        }
    }

    @Test(
        "wrong usage is an error",
        arguments: [
            (["load", "x.zip", "--signer", "y", "--device", "/dev/null"], 64), (["check", "x.zip"], 64),
            (["load", "x.zip", "--signer", "y", "--family", "abecs", "--device", "/dev/null", "--state", "s"], 2),
            (["state", "--forget", "1", "--json"], 64),
        ] as [([String], Int32)])
    func usage(_ arguments: [String], _ status: Int32) async throws {
        try await inWorkspace { place in
            let run = try await place.run(Executables.cardpresent, ["device"] + arguments)
            #expect(run.status == status)
            #expect(run.output.isEmpty)
            #expect(!run.errors.isEmpty)
        }
    }

    @Test("readers of this machine: a list, as text and as JSON") func list() async throws {
        try await inWorkspace { place in
            let text = try await run(place, "list")
            #expect(text.status == 0)
            #expect(!text.output.isEmpty)
            #expect(text.errors.isEmpty)
            #expect(try json(try await run(place, "list", "--json"))["readers"] is [[String: Any]])
        }
    }
}
