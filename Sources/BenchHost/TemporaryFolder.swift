private import Foundation

/// A path in the system's folder for temporary files; its content is deleted with the object.
final class TemporaryFolder: Sendable {
    let path = FileManager.default.temporaryDirectory.appending(path: "cardpresent-\(UUID().uuidString)").path(percentEncoded: false)

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
