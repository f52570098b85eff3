import Foundation
import PeerPrograms
import Testing

/// A server of aiosmtpd (`Tests/Peers/mail-server.py`), of tools/python-packages.txt.
final class MailPeer {
    let port: Int
    let folder: String
    private let process: Process
    private let input = Pipe()

    init(_ mode: String) throws {
        folder = NSTemporaryDirectory() + "mail-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            PeerProgram.interpreter, "-P", PeerProgram.path("mail-server.py"), mode, folder,
        ]
        let output = Pipe()
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        port = try #require(Int(line.trimmingCharacters(in: .newlines)))
    }

    var certificate: String { "\(folder)/cert.pem" }

    struct Mail: Decodable {
        var from: String, to: [String], subject: String, date: String, fromHeader: String, toHeader: String
        var type: String, defects: [String], text: String, html: String, bareLineFeeds: Int, longestLine: Int
        var isSecure: Bool, user: String?
    }

    func mails() throws -> [Mail] {
        try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasPrefix("mail-") }.sorted().map {
            try JSONDecoder().decode(Mail.self, from: Data(contentsOf: URL(filePath: "\(folder)/\($0)")))
        }
    }

    /// What it was sent in the clear.
    func clear() throws -> String {
        let file = URL(filePath: "\(folder)/commands.txt")
        return String(decoding: (try? Data(contentsOf: file)) ?? Data(), as: UTF8.self)
    }

    func end() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
        try? FileManager.default.removeItem(atPath: folder)
    }
}
