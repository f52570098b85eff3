import Foundation

/// The preloaded library that makes the disk fail counts from here on.
enum DiskFaults {
    static func arm(_ folder: String) {
        guard ProcessInfo.processInfo.environment["DISK_FAULT_COUNT"] != nil else { return }
        _ = FileManager.default.createFile(atPath: "\(folder)/armed", contents: nil)
    }
}
