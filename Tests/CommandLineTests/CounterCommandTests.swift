import Foundation
import Testing

/// `cardpresent print`, `drawer` and `scan`.
@Suite(.timeLimit(.minutes(20))) struct CounterCommandTests {
    /// A vault with one sale in its till's journal, and its key.
    private func till(_ place: Workspace) async throws -> (folder: String, key: String) {
        let request = #"{"request": "sale", "id": "1", "order": "o-1", "amount": "12.34", "currency": "EUR"}"#
        let run = try await place.run("till", "--vault", place.path("vault"), input: request + "\n")
        #expect(run.status == 0, "\(run.errors)")
        return (place.path("vault"), place.path("vault.key"))
    }

    @Test(
        "The receipt of a journaled sale comes out of a simulated printer; no card number is shown",
        arguments: [("epson-tm-t88v", "printed", 0), ("star-mpop", "printed", 0), ("star-tsp100", "notKnown", 3)]
            as [(String, String, Int32)])
    func receipt(_ profile: String, _ outcome: String, _ status: Int32) async throws {
        try await inWorkspace { place in
            let (folder, key) = try await till(place)
            let run = try await place.run(
                "print", "receipt", folder, "--key", key, "--order", "o-1", "--profile", profile, "--copy", "both",
                "--simulate", place.path("slip.png"), "--qr", "https://example.com/o-1", "--json")
            #expect(run.status == status, "\(run.errors)")
            let document = try #require(
                try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
            let copies = try #require(document["copies"] as? [[String: Any]])
            #expect(copies.map { $0["outcome"] as? String } == [outcome, outcome])
            #expect(copies.map { $0["copy"] as? String } == ["merchant", "cardholder"])
            let picture = try Data(contentsOf: URL(filePath: place.path("slip.png")))
            #expect(picture.starts(with: [0x89, 0x50, 0x4E, 0x47]))
            #expect(Canary.hunt(run.output + run.errors) == [])
        }
    }

    @Test("A printer that is not there: nothing was printed, and it says so") func absentPrinter() async throws {
        try await inWorkspace { place in
            let (folder, key) = try await till(place)
            let run = try await place.run(
                "print", "receipt", folder, "--key", key, "--order", "o-1", "--profile", "epson-tm-t88v", "--printer",
                place.path("lp0"))
            #expect(run.status == 2)
            #expect(run.output.contains("lp0 not found: switch the printer on"))
            let unknown = try await place.run(
                "print", "receipt", folder, "--key", key, "--order", "o-2", "--profile", "epson-tm-t88v", "--printer",
                place.path("lp0"))
            #expect(unknown.status == 2)
            #expect(unknown.errors.contains("o-2 not found"))
        }
    }

    @Test("The models can be written as a file, changed, and read") func models() async throws {
        try await inWorkspace { place in
            let list = try await place.run("print", "models")
            #expect(list.output.contains("epson-tm-m30iii"))
            let file = try await place.run("print", "models", "--json")
            let changed = file.output.replacing("\"epson-tm-t88v\"", with: "\"till-3\"")
            try Data(changed.utf8).write(to: URL(filePath: place.path("own.json")))
            let own = try await place.run("print", "models", "--profiles", place.path("own.json"))
            #expect(own.output.contains("till-3"))
            try Data(changed.replacing("\"dots\" : 512", with: "\"dots\" : 511").utf8).write(
                to: URL(filePath: place.path("own.json")))
            let refused = try await place.run("print", "models", "--profiles", place.path("own.json"))
            #expect(refused.status == 2)
            #expect(refused.errors.contains("multiple of 8"))
        }
    }

    @Test(
        "Wrong usage is told before anything is opened",
        arguments: [
            (["print", "receipt", "f", "--key", "k", "--order", "o", "--profile", "p"], "--simulate"),
            (["print", "status", "--printer", "lp0", "--profile", "p"], "--printer"),
            (["drawer"], "--serial"), (["drawer", "--printer", "/dev/usb/lp0"], "--profile"),
            (["drawer", "--serial", "/dev/ttyS0"], "--command"),
            (["drawer", "--serial", "/dev/ttyS0", "--command", "07", "--open-level", "high"], "--switch-line"),
            (["drawer", "--serial", "/dev/ttyS0", "--command", "07", "--drive", "1"], "--drive"),
            (["drawer", "--printer", "/dev/usb/lp0", "--profile", "p", "--pulse", "600"], "--pulse"),
            (["scan", "--scanner", "ttyACM0"], "--scanner"),
            (["scan", "--scanner", "/dev/hidraw0", "--layout", "gb"], "--layout"),
            (["scan", "--scanner", "/dev/hidraw0", "--gap", "1"], "--gap"),
        ] as [([String], String)])
    func usage(_ arguments: [String], _ option: String) async throws {
        try await inWorkspace { place in
            let run = try await place.run(Executables.cardpresent, arguments)
            #expect(run.status == 64, "\(run.errors)")
            #expect(run.errors.contains(option), "\(run.errors)")
        }
    }

    @Test("Devices that are not there are told") func absentDevices() async throws {
        try await inWorkspace { place in
            let scanner = try await place.run("scan", "--scanner", "/dev/hidraw-absent")
            #expect(scanner.status == 2)
            #expect(scanner.errors.contains("/dev/hidraw-absent not found"))
            let drawer = try await place.run("drawer", "--printer", place.path("lp0"), "--profile", "epson-tm-t88v")
            #expect(drawer.status == 2)
            #expect(drawer.errors.contains("offline or not connected"))
        }
    }
}
