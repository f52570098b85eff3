import Foundation
import Testing

@testable import Bytes

@Suite final class PrivateFileTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "private-\(UUID().uuidString)").path(
        percentEncoded: false)

    init() throws {
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func file(_ name: String, _ content: String = "key", mode: Int = 0o600) -> String {
        let path = "\(folder)/\(name)"
        #expect(
            FileManager.default.createFile(
                atPath: path, contents: Data(content.utf8), attributes: [.posixPermissions: mode]))
        return path
    }

    private func failure(_ path: String) -> PrivateFile.Failure? {
        do throws(PrivateFile.Failure) {
            _ = try PrivateFile.read(path, maximumSize: 8)
            return nil
        } catch {
            return error
        }
    }

    @Test("the content of a file of one's own, up to the limit") func content() throws {
        for text in ["", "key", "12345678"] {
            #expect(try PrivateFile.read(file("a", text), maximumSize: 8) == Array(text.utf8))
        }
        #expect(failure(file("b", "123456789")) == .tooLarge(maximum: 8))
        #expect(failure("\(folder)/none") == .notFound)
        #expect(failure(file("c") + "/d") == .notFound)
    }

    @Test("a file that others may read or write", arguments: [0o640, 0o604, 0o620, 0o602, 0o610]) func open(_ mode: Int)
    {
        #expect(failure(file("open", mode: mode)) == .openToOthers)
    }

    @Test("a link, also to a file of one's own; a folder; a pipe, without waiting for its other end") func noFile()
        throws
    {
        let link = "\(folder)/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file("target"))
        #expect(failure(link) == .link)
        #expect(failure(folder) == .notAFile)
        #expect(failure("/dev/zero") == .notAFile)
        let pipe = "\(folder)/pipe"
        #expect(unsafe mkfifo(pipe, 0o600) == 0)
        #expect(failure(pipe) == .notAFile)
    }

    /// Root gives files away; for anybody else those of root are another's.
    @Test("another user's file and folder") func foreign() throws {
        var (path, other) = ("/etc/passwd", "/etc")
        if geteuid() == 0 {
            (path, other) = (file("foreign"), "\(folder)/folder")
            try FileManager.default.createDirectory(
                atPath: other, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            for place in [path, other] {
                try FileManager.default.setAttributes([.ownerAccountID: 65534], ofItemAtPath: place)
            }
        }
        #expect(failure(path) == .ofAnotherUser)
        #expect(throws: PrivateFile.Failure.ofAnotherUser) { try PrivateFile.look(at: path) }
        #expect(throws: PrivateFile.Failure.ofAnotherUser) { try PrivateFolder.check(other) }
    }

    @Test("a folder: one's own, and no link to it, also with a slash behind it") func folders() throws {
        #expect(throws: Never.self) { try PrivateFolder.check(folder) }
        #expect(throws: Never.self) { try PrivateFolder.check(folder + "/") }
        try FileManager.default.createSymbolicLink(atPath: folder + "/link", withDestinationPath: folder)
        for name in ["/link", "/link/", "/link//"] {
            #expect(throws: PrivateFile.Failure.link) { try PrivateFolder.check(folder + name) }
        }
        #expect(throws: PrivateFile.Failure.notAFile) { try PrivateFolder.check(file("file")) }
        #expect(throws: PrivateFile.Failure.notFound) { try PrivateFolder.check(folder + "/none") }
        try FileManager.default.setAttributes([.posixPermissions: 0o750], ofItemAtPath: folder)
        #expect(throws: PrivateFile.Failure.openToOthers) { try PrivateFolder.check(folder) }
    }
}
