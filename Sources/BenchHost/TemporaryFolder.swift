private import Foundation

/// A name in the system's folder for temporary files; what is there is deleted with the object.
final class TemporaryFolder: Sendable {
    let path = FileManager.default.temporaryDirectory.appending(path: "cardpresent-\(UUID().uuidString)").path(percentEncoded: false)

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
