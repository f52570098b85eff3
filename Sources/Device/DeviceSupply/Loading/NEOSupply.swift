internal import Bytes
public import CardCapture
package import CardReaders
internal import JSONDocument

/// An ID TECH NEO reader that takes settings for its own kernels: AIDs, groups, CA public keys.
///
/// Each command is effective at once and can be repeated: a load that was interrupted within a file
/// begins with that file again.
public struct NEOSupply: SuppliedReader {
    public let name: String?
    public let loaders = [DevicePackage.Loader.neoSettings]
    private let reader: NEOMagstripeReader

    /// - Parameters:
    ///   - reader: The reader, which no other operation uses.
    ///   - name: The name that it was discovered by; nil if it is unknown.
    package init(_ reader: NEOMagstripeReader, name: String? = nil) {
        self.reader = reader
        self.name = name
    }

    public func identity() async throws(CaptureError) -> ReaderIdentity { try await reader.identify() }

    /// Nil: the driver does not ask for it.
    public func battery() async throws(CaptureError) -> BatteryState? { nil }

    public func load(_ file: DevicePackage.File, progress: @Sendable (Double) -> Void) async throws(SupplyError) {
        let settings: [NEOSetting]
        do { settings = try [NEOSetting](file) } catch { throw .package(error) }
        do { try await reader.load(settings, progress: progress) } catch { throw .reader(error) }
    }
}

extension [NEOSetting] {
    private static let kinds = NEOSetting.Kind.allCases.map { ($0.rawValue, $0) }

    /// A document with `commands`, each with a `command`, such as `04-03`, and its `data` in
    /// hexadecimal.
    init(_ file: DevicePackage.File) throws(PackageError) {
        let text = try file.text()
        do { self = try Place.document(text, Self.settings) } catch {
            throw .contents(file: file.name, .document(error))
        }
    }

    private static func settings(_ place: Place) throws(DocumentError) -> Self {
        let commands = try place.members(["commands"]).required("commands")
        let settings = try commands.list { place throws(DocumentError) in
            let members = try place.members(["command", "data"])
            let (kind, data) = (
                try members.required("command").choice(kinds), try members["data"]?.bytes(0...1500) ?? []
            )
            guard let setting = NEOSetting(kind, data) else { throw place.wrong(SupplyFault.settingTooLong) }
            return setting
        }
        guard !settings.isEmpty else { throw commands.wrong(SupplyFault.noCommand) }
        return settings
    }
}
