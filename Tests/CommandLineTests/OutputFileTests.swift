import Console
import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What is at the path of an output is a file that is replaced, or it stays what it is.
@Suite struct OutputFileTests {
    private static func inFolder(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "output-\(UUID().uuidString)").path(
            percentEncoded: false)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(folder)
    }

    @Test("a file is replaced by one that only its owner can read, or by one for all") func file() throws {
        try Self.inFolder { folder in
            let path = "\(folder)/page.html"
            #expect(
                FileManager.default.createFile(
                    atPath: path, contents: Data("old".utf8), attributes: [.posixPermissions: 0o644]))
            for (isForAll, mode) in [(false, 0o600), (true, 0o644)] {
                try OutputFile.replace(path, with: Array("new".utf8), isForAll: isForAll)
                #expect(try String(contentsOfFile: path, encoding: .utf8) == "new")
                #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == mode)
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["page.html"])
        }
    }

    @Test("a file that is not complete has no name: whoever ends the program leaves nothing behind") func pieces()
        throws
    {
        try Self.inFolder { folder in
            for path in ["\(folder)/page.html", "\(folder)/none/../log"] {
                try? OutputFile.replace(path) { write throws(InputError) in
                    try write("first part")
                    #expect((try? FileManager.default.contentsOfDirectory(atPath: folder)) == [])
                    throw InputError("ended")
                }
            }
            try FileManager.default.createDirectory(atPath: "\(folder)/vault", withIntermediateDirectories: true)
            #expect(try OutputFile.create("\(folder)/vault/key", with: "key"))
            #expect(try !OutputFile.create("\(folder)/vault/key", with: "other"))
            #expect(try FileManager.default.contentsOfDirectory(atPath: "\(folder)/vault") == ["key"])
        }
    }

    @Test("a pipe and a link to a device are written to, and stay") func streams() throws {
        try Self.inFolder { folder in
            let (pipe, link) = ("\(folder)/pipe", "\(folder)/null")
            try #require(unsafe mkfifo(pipe, 0o600) == 0)
            let reader = unsafe open(pipe, O_RDONLY | O_NONBLOCK)
            defer { close(reader) }
            try OutputFile.replace(pipe, with: "page")
            try OutputFile(pipe).write("line")
            var bytes = [UInt8](repeating: 0, count: 16)
            let count = unsafe read(reader, &bytes, bytes.count)
            #expect(String(decoding: bytes.prefix(count), as: UTF8.self) == "pageline")
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "/dev/null")
            try OutputFile.replace(link, with: "page")
            try OutputFile(link).write("line")
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "/dev/null")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["null", "pipe"])
        }
    }

    @Test("a link to a file, or to nothing, is not followed; a folder is named") func links() throws {
        try Self.inFolder { folder in
            let (target, link, loose) = ("\(folder)/target", "\(folder)/link", "\(folder)/loose")
            #expect(FileManager.default.createFile(atPath: target, contents: Data("somebody's".utf8)))
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
            try FileManager.default.createSymbolicLink(atPath: loose, withDestinationPath: "\(folder)/none")
            for path in [link, loose, folder] {
                #expect(throws: InputError.self) { try OutputFile.replace(path, with: "page") }
                #expect(throws: InputError.self) { _ = try OutputFile(path) }
            }
            #expect(try OutputFile.create(link, with: "page") == false)
            #expect(try String(contentsOfFile: target, encoding: .utf8) == "somebody's")
            #expect(!FileManager.default.fileExists(atPath: "\(folder)/none"))
        }
    }
}
