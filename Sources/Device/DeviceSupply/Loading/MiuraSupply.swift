public import CardCapture
public import CardReaders

/// A Miura PIN pad that takes files. It uses them after it was restarted, behind the last one.
///
/// A load that was interrupted within a file begins with that file again.
public struct MiuraSupply: SuppliedReader {
    public let name: String?
    public let loaders = [DevicePackage.Loader.miuraFile]
    private let pad: MiuraReader

    /// - Parameters:
    ///   - pad: The PIN pad, which no other operation uses.
    ///   - name: The name that it was discovered by; nil if it is unknown.
    public init(_ pad: MiuraReader, name: String? = nil) {
        self.pad = pad
        self.name = name
    }

    public func identity() async throws(CaptureError) -> ReaderIdentity {
        // The PIN pad reports who it is when it is opened, which any command does.
        _ = try await pad.battery()
        return pad.identity ?? ReaderIdentity()
    }

    public func battery() async throws(CaptureError) -> BatteryState? { try await pad.battery() }

    public func load(_ file: DevicePackage.File, progress: @Sendable (Double) -> Void) async throws(SupplyError) {
        let file = try unpacked(file)
        do { try await pad.load(file, progress: progress) } catch { throw .reader(error) }
    }

    public func activate() async throws(SupplyError) {
        do { try await pad.restart() } catch { throw .reader(error) }
    }

    private func unpacked(_ file: DevicePackage.File) throws(SupplyError) -> MiuraFile {
        do { return try MiuraFile(file) } catch { throw .package(error) }
    }
}

extension MiuraFile {
    /// The file with the name and the contents that it has in the package.
    init(_ file: DevicePackage.File) throws(PackageError) {
        guard let unpacked = MiuraFile(name: file.name, contents: file.contents) else {
            throw .contents(file: file.name, .miuraFile)
        }
        self = unpacked
    }
}
