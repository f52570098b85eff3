import Foundation
import Testing

/// `cardpresent journal`: what an operator does with a till's journal.
@Suite(.timeLimit(.minutes(20))) struct JournalCommandTests {
    /// A vault with `orders` in its till's journal, and its key.
    private func till(_ place: Workspace, _ orders: [String]) async throws -> (folder: String, key: String) {
        for order in orders {
            let request =
                #"{"request": "sale", "id": "1", "order": "\#(order)", "amount": "12.34", "currency": "EUR"}"#
            let run = try await place.run("till", "--vault", place.path("vault"), input: request + "\n")
            #expect(run.status == 0, "\(run.errors)")
        }
        return (place.path("vault"), place.path("vault.key"))
    }

    @Test("Orders are shown, one with its receipt, and no card number") func show() async throws {
        try await inWorkspace { place in
            let (folder, key) = try await till(place, ["o-1", "o-2"])
            let list = try await place.run("journal", "show", folder, "--key", key)
            #expect(list.status == 0, "\(list.errors)")
            let lines = list.output.split(separator: "\n")
            #expect(lines.count == 2)
            #expect(lines.first?.contains("o-2  sale  12.34 EUR  approved  476173******0119") == true, "newest first")
            let one = try await place.run("journal", "show", folder, "--key", key, "--order", "o-1")
            #expect(one.output.contains("MERCHANT COPY"))
            #expect(one.output.contains("o-1"))
            let document = try await place.document("journal", "show", folder, "--key", key, "--order", "o-1", "--json")
            let payment = (document["entry"] as? [String: Any])?["payment"] as? [String: Any]
            #expect(payment?["outcome"] as? String == "approved")
            let unknown = try await place.run("journal", "show", folder, "--key", key, "--order", "o-3")
            #expect(unknown.status == 1)
            #expect(unknown.errors.contains("o-3 not found"))
            for run in [list, one] { #expect(Canary.hunt(run.output) == []) }
        }
    }

    @Test("What waits for the host is listed, and by the exit status told from nothing") func pending() async throws {
        try await inWorkspace { place in
            let (folder, key) = try await till(place, ["o-1"])
            let run = try await place.run("journal", "pending", folder, "--key", key)
            #expect(run.status == 1, "the card's last cryptogram follows later")
            #expect(run.output.contains("  o-1  "))
            #expect(run.output.contains("pending: the card's last cryptogram"))
            let tight = try await place.run("journal", "check", folder, "--key", key, "--max-pending", "0")
            #expect(tight.status == 1)
            #expect(tight.output.contains("does it reach the host?"))
        }
    }

    @Test("A check says what is in order, for a monitoring system, too") func check() async throws {
        try await inWorkspace { place in
            let (folder, key) = try await till(place, ["o-1"])
            let document = try await place.document("journal", "check", folder, "--key", key, "--json")
            #expect(document["isInOrder"] as? Bool == true)
            #expect(document["entries"] as? Int == 1)
            #expect(document["pending"] as? Int == 1)
            #expect(document["unreadable"] as? [String] == [])
            #expect(document["gap"] == nil)
            #expect((document["checks"] as? [[String: Any]])?.count == 5)
            let old = Date(timeIntervalSinceNow: -400 * 86_400)
            try FileManager.default.setAttributes([.modificationDate: old], ofItemAtPath: key)
            let aged = try await place.run("journal", "check", folder, "--key", key)
            #expect(aged.status == 1)
            #expect(aged.output.contains("in use for 400 days: change it with cardpresent journal rotate"))
            let full = try await place.run(
                "journal", "check", folder, "--key", key, "--max-key-age", "500", "--min-free", "\(1 << 40)")
            #expect(full.status == 1)
            #expect(full.output.contains("free some space"))
        }
    }

    @Test("A backup is made while the till is at work; the copy has neither key nor leavings") func backup()
        async throws
    {
        try await inWorkspace { place in
            let (folder, key) = try await till(place, ["o-1"])
            let input = Pipe()
            let process = Process()
            process.executableURL = URL(filePath: Executables.cardpresent)
            process.arguments = ["till", "--vault", folder]
            process.standardInput = input
            let output = Pipe()
            process.standardOutput = output
            try process.run()
            try input.fileHandleForWriting.write(
                contentsOf: Data(#"{"request": "inquiry", "id": "1", "order": "o-1"}"#.utf8 + [0x0A]))
            // Its answer: it has the journal open.
            #expect(output.fileHandleForReading.availableData.isEmpty == false)
            let refused = try await place.run("journal", "rotate", folder, "--key", key)
            #expect(refused.status == 2)
            let document = try await place.document(
                "journal", "backup", folder, "--key", key, "--to", place.path("copy"), "--json")
            #expect(document["isWhole"] as? Bool == true)
            #expect(document["entries"] as? Int == 1)
            #expect(try FileManager.default.contentsOfDirectory(atPath: place.path("copy")) == ["journal.sqlite"])
            try input.fileHandleForWriting.close()
            process.waitUntilExit()
            let again = try await place.run("journal", "backup", folder, "--key", key, "--to", place.path("copy"))
            #expect(again.status == 2)
            #expect(again.errors.contains("exists: give another one"))
        }
    }

    /// Changes a journal from outside.
    private func tamper(_ folder: String, _ sql: String) throws {
        let python = Process()
        python.executableURL = URL(filePath: "/usr/bin/env")
        python.arguments = [
            "python3", "-c",
            "import sqlite3,sys; c=sqlite3.connect(sys.argv[1]); c.executescript(sys.argv[2]); c.commit()",
            "\(folder)/journal.sqlite", sql,
        ]
        try python.run()
        python.waitUntilExit()
        try #require(python.terminationStatus == 0)
    }

    @Test("A backup that is interrupted leaves nothing") func interruptedBackup() async throws {
        try await inWorkspace { place in
            let (folder, key) = try await till(place, ["o-1"])
            try tamper(folder, "CREATE TABLE large AS SELECT zeroblob(200000000)")
            let copy = place.path("copy")
            let run = try await place.run("journal", "backup", folder, "--key", key, "--to", copy) { process in
                Task.detached {
                    let part = copy + "/journal.sqlite.part"
                    while !FileManager.default.fileExists(atPath: part), kill(process, 0) == 0 { await Task.yield() }
                    kill(process, SIGINT)
                }
            }
            #expect(run.status == 128 + SIGINT)
            #expect(run.errors.contains("interrupted: nothing was copied"))
            #expect(!place.exists("copy"))
        }
    }

    @Test("Orders that cannot be read are said, and nothing is called complete without them") func unreadable()
        async throws
    {
        try await inWorkspace { place in
            let (folder, key) = try await till(place, ["o-1"])
            try tamper(folder, "UPDATE entry SET content = zeroblob(60)")
            for command in ["pending", "show", "export"] {
                let run = try await place.run("journal", command, folder, "--key", key)
                #expect(run.status == 3, "\(command)")
                #expect(run.errors.contains("1 orders cannot be read"), "\(command)")
                #expect(!run.output.contains("nothing is pending"))
            }
            let check = try await place.run("journal", "check", folder, "--key", key)
            #expect(check.status == 1)
            #expect(check.output.contains("look up at the host o-1"))
        }
    }

    @Test("An export replaces neither the journal nor its key") func ownFiles() async throws {
        try await inWorkspace { place in
            let (folder, key) = try await till(place, ["o-1"])
            for output in [key, key + ".new", folder + "/journal.sqlite", folder + "/orders.jsonl"] {
                let run = try await place.run("journal", "export", folder, "--key", key, "--output", output)
                #expect(run.status == 2, "\(output)")
                #expect(run.errors.contains("belongs to the journal or its key"))
            }
            #expect(try await place.run("journal", "show", folder, "--key", key).status == 0)
        }
    }

    @Test("An export has a line for each order of its days") func export() async throws {
        try await inWorkspace { place in
            let (folder, key) = try await till(place, ["o-1", "o-2"])
            let run = try await place.run("journal", "export", folder, "--key", key)
            let orders = try run.output.split(separator: "\n").map { line in
                try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])["order"]
                    as? String
            }
            #expect(orders == ["o-1", "o-2"])
            #expect(Canary.hunt(run.output) == [])
            let file = try await place.run(
                "journal", "export", folder, "--key", key, "--until", "2020-01-01", "--output", place.path("old.jsonl"))
            #expect(file.status == 0, "\(file.errors)")
            #expect(try place.text("old.jsonl").isEmpty)
            let wrong = try await place.run("journal", "export", folder, "--key", key, "--since", "yesterday")
            #expect(wrong.status == 64)
        }
    }

    /// A journal of its own, without a vault beside it.
    private func journal(_ place: Workspace) async throws -> (folder: String, key: String) {
        let (vault, key) = try await till(place, ["o-1"])
        let copy = try await place.run("journal", "backup", vault, "--key", key, "--to", place.path("own"))
        #expect(copy.status == 0, "\(copy.errors)")
        try FileManager.default.copyItem(atPath: key, toPath: place.path("own.key"))
        let refused = try await place.run("journal", "rotate", place.path("own"), "--key", place.path("own.key"))
        #expect(refused.status == 2)
        #expect(refused.errors.contains("is a backup"))
        // As a till leaves it.
        try tamper(place.path("own"), "PRAGMA journal_mode = WAL")
        return (place.path("own"), place.path("own.key"))
    }

    private func keys(_ place: Workspace) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: place.folder.path(percentEncoded: false)).filter {
            $0.hasPrefix("own.key") && !$0.hasSuffix(".mark")
        }.sorted()
    }

    @Test("The key is changed, and the old one kept; the journal opens with the new one alone") func rotate()
        async throws
    {
        try await inWorkspace { place in
            let (folder, key) = try await journal(place)
            let before = try place.text("own.key")
            let run = try await place.run("journal", "rotate", folder, "--key", key)
            #expect(run.status == 0, "\(run.errors)")
            #expect(try place.text("own.key") != before)
            let old = try #require(try keys(place).last)
            #expect(old.hasPrefix("own.key.until-"))
            #expect(try place.text(old) == before)
            #expect(try await place.run("journal", "show", folder, "--key", key).output.contains("o-1"))
            #expect(try await place.run("journal", "show", folder, "--key", place.path(old)).status == 2)
        }
    }

    @Test("A change that was interrupted goes on where it was", arguments: ["before", "after"])
    func interrupted(_ moment: String) async throws {
        try await inWorkspace { place in
            let (folder, key) = try await journal(place)
            if moment == "before" {
                _ = try place.secret("own.key.new", String(repeating: "5A", count: 32) + "\n")
            } else {
                #expect(try await place.run("journal", "rotate", folder, "--key", key).status == 0)
                // As if it had ended before the files were renamed.
                try FileManager.default.moveItem(atPath: key, toPath: key + ".new")
                let old = try #require(try keys(place).last)
                try FileManager.default.moveItem(atPath: place.path(old), toPath: key)
            }
            let new = try place.text("own.key.new")
            let run = try await place.run("journal", "rotate", folder, "--key", key)
            #expect(run.status == 0, "\(run.errors)")
            #expect(try place.text("own.key") == new)
            #expect(try keys(place).count == 2)
            #expect(try await place.run("journal", "show", folder, "--key", key).output.contains("o-1"))
        }
    }

    @Test("A vault of a bench, a folder without a journal and another key are refused") func refused() async throws {
        try await inWorkspace { place in
            let (folder, key) = try await till(place, ["o-1"])
            let vault = try await place.run("journal", "rotate", folder, "--key", key)
            #expect(vault.status == 2)
            #expect(vault.errors.contains("the vault of a bench"))
            let none = try await place.run("journal", "rotate", place.path("none"), "--key", key)
            #expect(none.status == 2)
            #expect(none.errors.contains("does not exist"))
            #expect(!place.exists("none"))
            let other = try place.secret("other.key", String(repeating: "5A", count: 32) + "\n")
            let wrong = try await place.run("journal", "check", folder, "--key", other)
            #expect(wrong.status == 2)
            #expect(wrong.errors.contains("made with another key"))
        }
    }
}
