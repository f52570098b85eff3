import Foundation
import PaymentTerminal
import Testing

/// The commands that work with devices, as far as they go on a machine without any.
@Suite struct ReaderCommandTests {
    private static let rules = URL(filePath: #filePath).deletingLastPathComponent().appending(
        path: "../../udev/60-cardpresent.rules"
    )
    .standardized

    @Test func udevPrintsInstallsAndChecks() async throws {
        try await inWorkspace { workspace in
            let file = try String(contentsOf: Self.rules, encoding: .utf8)
            let printed = try await workspace.run("udev", "print")
            #expect(printed.status == 0)
            #expect(printed.output == file)

            let installed = try await workspace.run("udev", "install", "--only-file", "--folder", ".")
            #expect(installed.status == 0)
            #expect(try workspace.text("60-cardpresent.rules") == file)
            let same = try await workspace.run("udev", "check", "60-cardpresent.rules")
            #expect(same.status == 0)
            #expect(same.output.contains("matches the drivers' id tables"))

            _ = try workspace.file("60-cardpresent.rules", file + "# changed by hand\n")
            let changed = try await workspace.run("udev", "check", "60-cardpresent.rules")
            #expect(changed.status == 1)
            #expect(changed.output.contains("cardpresent udev install"))
            let json = try await workspace.run("udev", "check", "60-cardpresent.rules", "--json")
            let document = try #require(
                try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
            #expect(json.status == 1)
            #expect(document["isCurrent"] as? Bool == false)
            _ = try await workspace.run("udev", "install", "--only-file", "--folder", ".")
            #expect(try await workspace.run("udev", "check", "60-cardpresent.rules").status == 0)
        }
    }

    @Test("udev install and check name what failed") func udevFailures() async throws {
        try await inWorkspace { workspace in
            let nowhere = try await workspace.run("udev", "install", "--only-file", "--folder", "not-there")
            #expect(nowhere.status == 2)
            #expect(nowhere.complaint?.contains("run it as root") == true)
            let missing = try await workspace.run("udev", "check", "not-there.rules")
            #expect(missing.status == 2)
            #expect(missing.complaint?.contains("not-there.rules") == true)
            #expect(try await workspace.run("udev", "uninstall").status == 64)
        }
    }

    @Test("Readers of this machine: a list, as text and as JSON") func readers() async throws {
        try await inWorkspace { workspace in
            let text = try await workspace.run("readers")
            #expect(text.status == 0)
            #expect(!text.output.isEmpty)
            #expect(text.errors.isEmpty)
            let json = try await workspace.run("readers", "--json")
            #expect(json.status == 0)
            let document = try #require(
                try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
            #expect(document["version"] as? Int == 1)
            #expect(document["readers"] is [[String: Any]])
            #expect(document["unsupported"] is [[String: Any]])
        }
    }

    /// Point A2 of docs/requirements.md.
    @Test("library, command and change log have the same version") func version() async throws {
        let run = try await inWorkspace { try await $0.run("--version") }
        #expect(run.status == 0)
        #expect(run.output == "\(Terminal.libraryVersion)\n")
        let changes = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../CHANGELOG.md")
            .standardized
        let open = try String(contentsOf: changes, encoding: .utf8).split(separator: "\n").first { $0.hasPrefix("## ") }
        #expect(open?.hasPrefix("## \(Terminal.libraryVersion)") == true)
    }

    @Test("doctor as JSON has a version and its checks") func doctorAsJSON() async throws {
        let run = try await inWorkspace { try await $0.run("doctor", "--json") }
        let document = try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
        let checks = try #require(document["checks"] as? [[String: Any]])
        #expect(document["version"] as? Int == 1)
        #expect(checks.contains { $0["subject"] as? String == "udev" })
        #expect(document["isInOrder"] as? Bool == (run.status == 0))
    }

    @Test("It says of udev, USB and the rules how they are; what is wrong has a command below it") func doctor()
        async throws
    {
        try await inWorkspace { workspace in
            let run = try await workspace.run("doctor")
            #expect(run.status == (run.output.contains("✗") ? 1 : 0))
            #expect(run.errors.isEmpty)
            for subject in ["udev", "USB", "udev rules"] { #expect(run.output.contains(subject)) }
            if run.output.contains("they are not installed") {
                #expect(run.output.contains("sudo cardpresent udev install"))
            }
        }
    }

    /// A chip in Python on a pseudoterminal; the first four versions open it and are not counted.
    @Test("The times of a reader's transport, as text and as JSON", arguments: [true, false]) func tapTiming(
        _ json: Bool
    ) async throws {
        let peer = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Peers/pn532.py")
            .standardized
        try await inWorkspace { place in
            async let chip = place.run(
                "/usr/bin/env",
                ["timeout", "60", "python3", peer.path(percentEncoded: false), place.path("port"), "24"])
            for _ in 0..<600 where !place.exists("port") { try await Task.sleep(for: .milliseconds(50)) }
            let run = try await place.run(
                Executables.cardpresent,
                ["doctor", "--tap-timing", "--reader", "pn532:" + place.path("port"), "--count", "20"]
                    + (json ? ["--json"] : []))
            #expect(run.status == 0, "\(run.output)\(run.errors)")
            #expect(run.errors.isEmpty, "\(run.output)\(run.errors)")
            let played = try await chip
            #expect(played.status == 0, "\(played.errors)")
            guard json else {
                #expect(run.output.contains("20 round trips to the chip, without a card"))
                for tag in ["DF8132", "DF8133", "DF8134", "DF8135  expectedResponseTime  24     0018", "DF8136"] {
                    #expect(run.output.contains(tag), "\(run.output)")
                }
                return
            }
            let document = try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
            #expect(document["version"] as? Int == 1)
            #expect(document["roundTrips"] as? Int == 20)
            #expect(document["loop"] as? String == "firmwareVersion")
            let times = try ["fastest", "p50", "p99", "slowest", "accuracy"].map { try #require(document[$0] as? Int) }
            #expect(times[0] > 0 && times[0] <= times[1] && times[1] <= times[2] && times[2] <= times[3])
            let limits = try #require(document["relayResistance"] as? [String: Int])
            // The book's default, and the median in units of 100 µs, rounded up; the median itself
            // is shown in whole microseconds.
            let added = try #require(limits["expectedCommandTime"]) - 18 - (times[1] + 99) / 100
            #expect((0...1).contains(added))
            #expect(limits["expectedResponseTime"] == 24)
            #expect(limits.count == 5)
        }
    }

    @Test(
        "What cannot be measured is said",
        arguments: [
            (["--reader", "no such reader"], 2, "contactless reader not found"),
            (["--reader", "pn532:/dev/cardpresent-no-such-port"], 2, "/dev/cardpresent-no-such-port not found"),
            (["--reader", "phoenix:/dev/ttyS0"], 2, "has no field whose times can be measured"),
            (["--reader", "no such reader", "--pcsc"], 2, "PC/SC"), (["--count", "9"], 64, "--count is 10 to 100000"),
        ] as [([String], Int32, String)])
    func tapTimingFailures(_ arguments: [String], _ status: Int32, _ words: String) async throws {
        try await inWorkspace { place in
            let run = try await place.run(Executables.cardpresent, ["doctor", "--tap-timing"] + arguments)
            #expect(run.status == status, "\(run.output)\(run.errors)")
            #expect(run.output.isEmpty, "\(run.output)\(run.errors)")
            #expect(run.errors.contains(words), "\(run.output)\(run.errors)")
        }
    }

    @Test("Options of the measurement go with it") func tapTimingOptions() async throws {
        try await inWorkspace { place in
            for options in [["--reader", "X"], ["--pcsc"], ["--count", "20"]] {
                let run = try await place.run(Executables.cardpresent, ["doctor"] + options)
                #expect(run.status == 64)
                #expect(run.errors.contains("--tap-timing"))
            }
        }
    }

    @Test(
        "apdu names the command or the reader that is wrong",
        arguments: [
            (["apdu", "00A4"], "\"00A4\" is not a command"), (["apdu", "XYZ"], "hex"),
            (["apdu", "--reader", "no such reader", "00A40400"], "not found"),
            (["apdu", "--reader", "no such reader", "--pcsc", "00A40400"], ""),
        ] as [([String], String)])
    func apduFailures(_ arguments: [String], _ part: String) async throws {
        try await inWorkspace { workspace in
            let run = try await workspace.run(Executables.cardpresent, arguments)
            #expect(run.status == 2)
            #expect(run.output.isEmpty)
            let complaint = try #require(run.complaint)
            #expect(part.isEmpty || complaint.contains(part) || complaint.contains("is connected"), "\(complaint)")
        }
    }
}
