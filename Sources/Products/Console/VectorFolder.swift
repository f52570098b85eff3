public import FoundationEssentials

/// The folder `Vectors` of the package: from an option, from the environment, next to or above the
/// executable, in `share/cardpresent` next to the executable's folder, or above the current folder.
public enum VectorFolder {
    public static let environmentVariable = "CARDPRESENT_VECTORS"

    public static func find(_ given: String? = nil) throws(InputError) -> URL {
        let environment = ProcessInfo.processInfo.environment[environmentVariable]
        if let named = given ?? environment {
            guard isVectors(URL(filePath: named)) else {
                throw InputError("\(named): no folder of CardPresent's vectors (it has no traces/)")
            }
            return URL(filePath: named)
        }
        let executable = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")).map {
            URL(filePath: $0)
        }
        for start in [executable, URL(filePath: FileManager.default.currentDirectoryPath)].compactMap({ $0 }) {
            var folder = start
            for _ in 0..<8 where folder.path(percentEncoded: false).count > 1 {
                for path in ["Vectors", "share/cardpresent/Vectors"] {
                    let candidate = folder.appending(path: path)
                    if isVectors(candidate) { return candidate }
                }
                folder = folder.deletingLastPathComponent()
            }
        }
        throw InputError("the folder Vectors was not found: give it with --vectors or in \(environmentVariable)")
    }

    private static func isVectors(_ folder: URL) -> Bool {
        FileManager.default.fileExists(atPath: folder.appending(path: "traces").path(percentEncoded: false))
    }
}
