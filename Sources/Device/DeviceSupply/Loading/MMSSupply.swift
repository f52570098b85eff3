internal import Bytes
public import CardCapture
package import CardReaders
internal import JSONDocument

/// A MagTek device of the MMS framework (DynaFlex, DynaProx) that takes properties.
///
/// Each property is effective at once, or after the next restart of the device, as the manual says
/// for it. A load that was interrupted within a file begins with that file again, and sets only
/// what the device does not have.
public struct MMSSupply: SuppliedReader {
    public let name: String?
    public let loaders = [DevicePackage.Loader.mmsProperties]
    private let device: MMSReader

    /// - Parameters:
    ///   - device: The device, which no other operation uses.
    ///   - name: The name that it was discovered by; nil if it is unknown.
    package init(_ device: MMSReader, name: String? = nil) {
        self.device = device
        self.name = name
    }

    public func identity() async throws(CaptureError) -> ReaderIdentity { try await device.identify() }

    /// Nil: the driver does not ask for it.
    public func battery() async throws(CaptureError) -> BatteryState? { nil }

    public func load(_ file: DevicePackage.File, progress: @Sendable (Double) -> Void) async throws(SupplyError) {
        let settings: [MMSSetting]
        do { settings = try [MMSSetting](file) } catch { throw .package(error) }
        do { try await device.load(settings, progress: progress) } catch { throw .reader(error) }
    }
}

extension [MMSSetting] {
    /// A document with `properties`, each with a `property`, such as `1.2.7.1.1.1`, and its `value`
    /// in hexadecimal.
    init(_ file: DevicePackage.File) throws(PackageError) {
        let text = try file.text()
        do { self = try Place.document(text, Self.settings) } catch {
            throw .contents(file: file.name, .document(error))
        }
    }

    private static func settings(_ place: Place) throws(DocumentError) -> Self {
        let properties = try place.members(["properties"]).required("properties")
        let settings = try properties.list { place throws(DocumentError) in
            let members = try place.members(["property", "value"])
            let (name, value) = (try members.required("property"), try members.required("value").bytes(1...4096))
            guard let property = try MMSProperty(name.text()), property.isSetting,
                let setting = MMSSetting(property, value)
            else {
                throw name.wrong(SupplyFault.notASetting)
            }
            return setting
        }
        guard !settings.isEmpty else { throw properties.wrong(SupplyFault.noProperty) }
        return settings
    }
}
