import Foundation
import Testing

@testable import DeviceSupply

/// Archives by Python's zipfile, which writes any name and any content.
@Suite struct ZipArchiveTests {
    private func archive(_ statements: String) throws -> [UInt8] {
        let scratch = try Scratch()
        let program = """
            import zipfile, warnings
            warnings.simplefilter("ignore")
            with zipfile.ZipFile("a.zip", "w", zipfile.ZIP_DEFLATED) as z:
                \(statements)
            """
        try scratch.run("python3", "-c", program)
        return try scratch.read("a.zip")
    }

    @Test("an archive of another program is read, packed files and stored ones") func foreign() throws {
        let bytes = try archive(
            #"z.writestr("a/b.txt", b"hello"); z.writestr("c", b"\x00" * 3000, zipfile.ZIP_STORED)"#)
        let archive = try ZipArchive(parsing: bytes)
        #expect(
            archive.entries == [
                .init(name: "a/b.txt", bytes: Array("hello".utf8)),
                .init(name: "c", bytes: [UInt8](repeating: 0, count: 3000)),
            ])
    }

    @Test("an archive of ours is read by another program, and has the same bytes each time") func own() throws {
        let contents = (0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 7) }
        let archive = ZipArchive([.init(name: "x", bytes: contents), .init(name: "empty", bytes: [])])
        let bytes = try archive.bytes()
        #expect(try archive.bytes() == bytes)
        #expect(try ZipArchive(parsing: bytes) == archive)
        let scratch = try Scratch()
        try scratch.write("a.zip", bytes)
        try scratch.run(
            "python3", "-c",
            "import zipfile; z = zipfile.ZipFile('a.zip'); z.testzip() and exit(1); open('x', 'wb').write(z.read('x'))")
        #expect(try scratch.read("x") == contents)
    }

    @Test(
        "names that lead out of the archive, or are there twice, are refused",
        arguments: [
            "../a", "a/../b", "/a", "a//b", "a/", ".", "a\\b", "a b", "\u{E9}", "", String(repeating: "a", count: 101),
        ])
    func names(_ name: String) throws {
        let bytes = try archive(
            "z.writestr(zipfile.ZipInfo(bytes.fromhex('\(name.utf8.map { String(format: "%02x", $0) }.joined())').decode()), b'x')"
        )
        #expect(throws: ZipArchive.Fault.invalidName(1)) { try ZipArchive(parsing: bytes) }
    }

    @Test("what is too much is refused before it is unpacked") func bounds() throws {
        #expect(throws: ZipArchive.Fault.doubledName("a")) {
            try ZipArchive(parsing: archive("z.writestr('a', b'1'); z.writestr('a', b'2')"))
        }
        #expect(throws: ZipArchive.Fault.tooManyFiles) {
            try ZipArchive(parsing: archive("[z.writestr(str(i), b'') for i in range(257)]"))
        }
        #expect(throws: ZipArchive.Fault.tooLarge("a")) {
            try ZipArchive(parsing: archive("z.writestr('a', b'x' * ((32 << 20) + 1))"))
        }
        #expect(throws: ZipArchive.Fault.suspicious("a")) {
            try ZipArchive(parsing: archive("z.writestr('a', b'x' * (1 << 20))"))
        }
        let halves = "import os; d = os.urandom(1 << 14) * 1100; [z.writestr(n, d, zipfile.ZIP_STORED) for n in 'ab']"
        #expect(throws: ZipArchive.Fault.allTooLarge) { try ZipArchive(parsing: archive(halves)) }
        #expect(throws: ZipArchive.Fault.notSupported("a")) {
            try ZipArchive(parsing: archive("z.writestr('a', b'x' * 999, zipfile.ZIP_BZIP2)"))
        }
    }

    @Test("damaged archives are refused, wherever the damage is") func damaged() throws {
        let bytes = try archive("z.writestr('abc', bytes(range(256)) * 4)")
        let whole = try ZipArchive(parsing: bytes)
        for end in [0, 1, 21, bytes.count / 2, bytes.count - 1] {
            #expect(throws: ZipArchive.Fault.self) { try ZipArchive(parsing: Array(bytes.prefix(end))) }
        }
        // A damaged time of a file is nobody's concern: either the contents are right, or there is
        // an error.
        for index in bytes.indices {
            var copy = bytes
            copy[index] ^= 0x55
            if let read = try? ZipArchive(parsing: copy) {
                #expect(read.entries.map(\.bytes) == whole.entries.map(\.bytes) || read.entries.isEmpty)
            }
        }
    }
}
