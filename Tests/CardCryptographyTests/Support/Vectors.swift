import Bytes
import CardCryptography
import Foundation
import Testing

/// The JSON document at `path` below the package's Vectors folder.
func vectors<Document: Decodable>(_ path: String) throws -> Document {
    try JSONDecoder().decode(Document.self, from: Data(vectorText(path).utf8))
}

/// The text at `path` below the package's Vectors folder.
func vectorText(_ path: String) throws -> String {
    let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
        .deletingLastPathComponent()
    return try String(contentsOf: package.appending(path: "Vectors/\(path)"), encoding: .utf8)
}

func hex(_ text: String) throws -> [UInt8] { try [UInt8](hex: text) }

func secret(_ text: String) throws -> SecretBytes { SecretBytes(try hex(text)) }

extension SecretBytes {
    var exposed: [UInt8] { withBytes { bytes in bytes.indices.map { bytes[$0] } } }
}
