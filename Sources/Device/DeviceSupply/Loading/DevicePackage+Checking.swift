internal import CardReaders

extension DevicePackage.File {
    /// Checks the contents as the loader reads them, so that no load begins with a file that a
    /// reader cannot take.
    ///
    /// - Throws: ``PackageError/contents(file:_:)``.
    public func check() throws(PackageError) {
        switch loader {
        case .abecsTables: _ = try ABECSTables(self)
        case .miuraFile: _ = try MiuraFile(self)
        case .neoSettings: _ = try [NEOSetting](self)
        case .mmsProperties: _ = try [MMSSetting](self)
        }
    }

    /// The contents as a text.
    func text() throws(PackageError) -> String {
        guard let text = String(validating: contents, as: UTF8.self) else { throw .contents(file: name, .notUTF8) }
        return text
    }
}
