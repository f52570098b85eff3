import Foundation
import PaymentTerminal
import Testing

/// The picture of a signature, decoded by `Tests/Peers/png.py` with Python's zlib and compared with
/// the strokes pixel by pixel.
@Suite struct SignaturePictureTests {
    private static let peer = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Peers/png.py")
        .standardized

    /// What the peer prints: width, height, bytes, and how many pixels differ.
    private static func decoded(_ png: [UInt8], _ strokes: [[Signature.Point]]) throws -> [Int] {
        let file = FileManager.default.temporaryDirectory.appending(path: "signature-\(UUID().uuidString).png")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(png).write(to: file)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments =
            ["python3", peer.path(percentEncoded: false)]
            + strokes.map { $0.map { "\($0.x),\($0.y)" }.joined(separator: "-") }
        process.standardInput = try FileHandle(forReadingFrom: file)
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return String(decoding: output, as: UTF8.self).split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
    }

    /// The first is the vendor's published example of a signature.
    @Test(
        "An independent decoder sees the strokes, pixel by pixel",
        arguments: [
            [[(130, 50), (170, 50)], [(150, 30), (150, 70)]], [[(0, 0), (300, 100), (300, 0), (0, 100)]],
            [[(7, 9), (7, 9)]],
            [[(10, 90), (40, 20), (60, 80), (95, 15)], [(120, 50), (180, 55)]],
        ])
    func pixels(_ strokes: [[(Int, Int)]]) throws {
        let points = strokes.map { $0.map { Signature.Point(x: $0.0, y: $0.1) } }
        let png = try #require(Signature(strokes: points)).png
        #expect(try Self.decoded(png, points) == [300, 100, png.count, 0])
    }

    @Test("A picture of the most points stays below its limit") func limit() throws {
        let scribble = (0..<Signature.maximumPoints).map { Signature.Point(x: ($0 * 37) % 301, y: ($0 * 53) % 101) }
        #expect(try #require(Signature(strokes: [scribble])).png.count <= 35_000)
    }
}
