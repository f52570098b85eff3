import Foundation
import PeerPrograms
import Printing

/// What the tests of slips compare with.
enum Peer {
    /// What zbarimg reads off the picture: one code a line.
    static func codes(_ picture: Bitmap) throws -> String {
        let file = FileManager.default.temporaryDirectory.appending(path: "slip-\(UUID().uuidString).png")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(picture.png).write(to: file)
        return try PeerProgram.run(["zbarimg", "--quiet", "--raw", file.path])
    }

    /// Debian's DejaVu Sans Mono (fonts-dejavu-core).
    static func font() throws -> SlipFont {
        try SlipFont(Array(Data(contentsOf: URL(filePath: "/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf"))))
    }
}
