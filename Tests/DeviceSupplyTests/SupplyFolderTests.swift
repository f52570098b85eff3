import Foundation
import Testing

@testable import DeviceSupply

@Suite struct SupplyFolderTests {
    private func state(_ serialNumber: String) -> SupplyState {
        var state = SupplyState(maker: "M", serialNumber: serialNumber)
        state.stage = .test
        state.installed = .init(version: "v", digest: [UInt8](repeating: 7, count: 32), name: nil, firmware: "f")
        state.load = .init(version: "w", digest: [UInt8](repeating: 8, count: 32), step: 1, steps: 2)
        return state
    }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test("A state is readable by its owner only, with any serial number") func kept() throws {
        let scratch = try Scratch()
        let folder = SupplyFolder(path: scratch.file("a/b"))
        #expect(try folder.states().isEmpty)
        for serialNumber in ["1", "../../x", "a-b", "a%2db", "\u{E4}/\u{0}", "1 "] {
            let state = state(serialNumber)
            // A name with a control character is not one line, and could not be read back.
            if serialNumber.contains("\u{0}") { continue }
            try folder.keep(state)
            #expect(try folder.state(maker: "M", serialNumber: serialNumber) == state)
        }
        #expect(try folder.states().count == 5)
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path) == ["a"])
        #expect(try mode(folder.path) == 0o700)
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            #expect(name.hasSuffix(".json"))
            #expect(!name.contains(".."))
            #expect(try mode(folder.path + "/" + name) == 0o600)
        }
        #expect(try folder.forget(state("1")))
        #expect(try !folder.forget(state("1")))
        #expect(try folder.states().count == 4)
    }

    /// As a child process has it between fork and exec.
    @Test("A claim is given up while a copy of its descriptor is open") func copied() throws {
        let scratch = try Scratch()
        let folder = SupplyFolder(path: scratch.file("claims"))
        var copies: [CInt] = []
        defer { for copy in copies { close(copy) } }
        try withExtendedLifetime(folder.claim(maker: "M", serialNumber: "1")) {
            let own = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").filter { name in
                let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
                return target == "\(folder.path)/M-1.json.lock"
            }
            copies = own.compactMap { CInt($0) }.map { dup($0) }
            try #require(!copies.isEmpty)
            #expect(throws: SupplyError.inUse) { _ = try folder.claim(maker: "M", serialNumber: "1") }
        }
        _ = try folder.claim(maker: "M", serialNumber: "1")
    }

    @Test("A folder that others can read, and a file that is not a state, are named") func faults() throws {
        let scratch = try Scratch()
        let folder = SupplyFolder(path: scratch.file("open"))
        try FileManager.default.createDirectory(
            atPath: folder.path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        #expect(throws: SupplyError.state(folder.path, "other users have access to it: chmod 700 \(folder.path)")) {
            try folder.keep(state("1"))
        }
        #expect(throws: SupplyError.self) { try folder.states() }
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.path)
        for text in [
            "", "{}", #"{"format": 1, "maker": "M", "serialNumber": "1", "load": {"version": "1", "digest": "00"}}"#,
        ] {
            try scratch.write("open/M-1.json", Array(text.utf8))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.path + "/M-1.json")
            let error = #expect(throws: SupplyError.self) { try folder.state(maker: "M", serialNumber: "1") }
            #expect("\(try #require(error))".hasPrefix(folder.path + "/M-1.json: "))
        }
        #expect(throws: SupplyError.self) { try SupplyFolder(path: "/proc/none").keep(state("1")) }
    }
}
