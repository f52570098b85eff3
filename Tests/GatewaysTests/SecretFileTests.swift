import Bytes
import Foundation
import Testing

@testable import Gateways

@Suite final class SecretFileTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "key-\(UUID().uuidString)").path(
        percentEncoded: false)

    init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func file(_ content: String, mode: Int = 0o600) -> String {
        let path = "\(folder)/\(UUID().uuidString)"
        #expect(
            FileManager.default.createFile(
                atPath: path, contents: Data(content.utf8), attributes: [.posixPermissions: mode]))
        return path
    }

    @Test("a key is what stands in its file, without white space around it") func key() throws {
        #expect(try SecretFile.read(file("  secret key\r\n")) == SecretBytes("secret key".utf8))
        #expect(try SecretFile.read(file(String(repeating: "k", count: 4096))).count == 4096)
    }

    @Test("a file that is missing, empty, too large, no file, or open to others is refused by name") func refused() {
        let (empty, large, open) = (file(" \n"), file(String(repeating: "k", count: 4097)), file("key", mode: 0o640))
        #expect(throws: SecretFileError.notReadable(path: "\(folder)/none")) { try SecretFile.read("\(folder)/none") }
        #expect(throws: SecretFileError.empty(path: empty)) { try SecretFile.read(empty) }
        #expect(throws: SecretFileError.tooLarge(path: large)) { try SecretFile.read(large) }
        #expect(throws: SecretFileError.readableByOthers(path: open)) { try SecretFile.read(open) }
        #expect(throws: SecretFileError.tooLarge(path: "/dev/zero")) { try SecretFile.read("/dev/zero") }
        let link = "\(folder)/link"
        #expect(throws: Never.self) {
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file("key"))
        }
        #expect(throws: SecretFileError.link(path: link)) { try SecretFile.read(link) }
        #expect("\(SecretFileError.readableByOthers(path: open))".hasSuffix("chmod 600 \(open)"))
    }
}
