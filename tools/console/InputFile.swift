import FoundationEssentials

/// Files and standard input, read with a bound and with errors that name them.
public enum InputFile {
    /// The most bytes that are read of one: far more than any log of a transaction has.
    public static let maximumSize = 16 << 20

    /// The text of the file at `path`, or of standard input for `-`.
    public static func text(_ path: String) throws(InputError) -> String {
        let data: Data
        do {
            data = path == "-" ? try standardInput() : try Data(contentsOf: URL(filePath: path), options: [])
        } catch let error as InputError {
            throw error
        } catch {
            throw InputError("\(path): \(reason(error))")
        }
        guard data.count <= maximumSize else { throw InputError("\(path): larger than \(maximumSize >> 20) MiB") }
        guard let text = String(data: data, encoding: .utf8) else { throw InputError("\(path): not a text in UTF-8") }
        return text
    }

    private static func standardInput() throws -> Data {
        var text = ""
        while let line = readLine(strippingNewline: false) {
            text += line
            guard text.utf8.count <= maximumSize else { throw InputError("standard input: larger than \(maximumSize >> 20) MiB") }
        }
        return Data(text.utf8)
    }

    /// What the system said, in a few words.
    public static func reason(_ error: any Error) -> String {
        guard let error = error as? CocoaError else { return "\(error)" }
        switch error.code {
        case .fileNoSuchFile, .fileReadNoSuchFile: return "no such file"
        case .fileReadNoPermission, .fileWriteNoPermission: return "permission denied"
        case .fileWriteOutOfSpace: return "no space left on the device"
        case .fileWriteVolumeReadOnly: return "read-only file system"
        default: return "cannot be read or written (\(error.code.rawValue))"
        }
    }
}

/// An error whose message is all there is to say to the user.
public struct InputError: Error, CustomStringConvertible, Sendable {
    public let description: String
    public init(_ description: String) { self.description = description }
}
