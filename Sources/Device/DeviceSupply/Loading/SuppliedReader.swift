public import CardCapture

/// A reader that takes files of configuration packages: a driver's loading commands behind one
/// interface.
public protocol SuppliedReader: Sendable {
    /// The name that the reader was discovered by, which users may change; nil if it is unknown.
    var name: String? { get }
    /// What kinds of files it takes.
    var loaders: [DevicePackage.Loader] { get }

    /// Asks the reader who it is.
    ///
    /// - Throws: ``CardCapture/CaptureError``: the reader is in use or does not answer.
    func identity() async throws(CaptureError) -> ReaderIdentity

    /// Asks the reader for its battery; nil if it has none, or does not tell.
    ///
    /// - Throws: ``CardCapture/CaptureError``: the reader is in use or does not answer.
    func battery() async throws(CaptureError) -> BatteryState?

    /// Brings a file into the reader, from its beginning.
    ///
    /// - Parameters:
    ///   - file: One of a kind in ``loaders``.
    ///   - progress: Called with the part that is done, from 0 to 1.
    /// - Throws: ``SupplyError/reader(_:)``, ``SupplyError/package(_:)``.
    func load(_ file: DevicePackage.File, progress: @Sendable (Double) -> Void) async throws(SupplyError)

    /// Makes the reader use what was loaded; called behind the last file.
    ///
    /// - Throws: ``SupplyError/reader(_:)``.
    func activate() async throws(SupplyError)
}

extension SuppliedReader {
    /// Does nothing: for readers that use each file as soon as it is loaded.
    public func activate() async throws(SupplyError) {}
}
