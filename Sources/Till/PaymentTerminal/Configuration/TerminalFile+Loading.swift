private import FoundationEssentials
public import JSONDocument

extension TerminalFile {
    /// Reads the file, and the CA keys, the exception file and the list of devices that it refers
    /// to.
    ///
    /// - Parameter createsLogFolder: Whether the folder of the payment log is created if it is
    ///   missing. A check of the file by another user must not do that: the terminal could not
    ///   write to it.
    /// - Throws: `DocumentError` with the place of the error:
    ///   `applications[1].aid: 5 to 16 bytes in hexadecimal, got 'A0'`.
    public static func load(_ path: String, createsLogFolder: Bool = true) throws(DocumentError) -> TerminalFile {
        let text = try ConfigurationFile(path: path, place: "", maximumSize: maximumSize).text()
        let folder = URL(filePath: path).deletingLastPathComponent()
        let path = { (name: String) in URL(filePath: name, relativeTo: folder).path(percentEncoded: false) }
        return try TerminalFile(parsing: text) { name throws(DocumentError) in
            try ConfigurationFile(path: path(name), place: "caKeys", maximumSize: maximumSize).text()
        } exceptions: { names throws(DocumentError) in
            try ExceptionFile.load(path(names.file), keyFile: path(names.key))
        } devices: { name throws(DocumentError) in
            try Terminal.DeviceList.load(path(name))
        } paymentLog: { folder throws(DocumentError) in
            do throws(Terminal.PaymentLogFolder.Failure) {
                return try Terminal.PaymentLogFolder(
                    path: path(folder.path), maximumCount: folder.maximumCount, isCreated: createsLogFolder)
            } catch {
                throw DocumentError("paymentLog.folder", ConfigurationFault.logFolder(folder.path, error))
            }
        }
    }

    /// A document with a hundred applications has 50 kB, a file with all published CA keys 100 kB.
    private static let maximumSize: UInt64 = 1 << 20
}
