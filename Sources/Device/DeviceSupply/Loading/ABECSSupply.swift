public import CardCapture
public import CardReaders
internal import JSONDocument

/// An ABECS PIN pad that takes the tables of an acquirer (TLI, TLR, TLE).
///
/// The PIN pad has no tables of the acquirer from the first command until the last: a load that was
/// interrupted within a file begins with that file again.
public struct ABECSSupply: SuppliedReader {
    public let name: String?
    public let loaders = [DevicePackage.Loader.abecsTables]
    private let pad: ABECSReader

    /// - Parameters:
    ///   - pad: The PIN pad, which no other operation uses.
    ///   - name: The name that it was discovered by; nil if it is unknown.
    public init(_ pad: ABECSReader, name: String? = nil) {
        self.pad = pad
        self.name = name
    }

    public func identity() async throws(CaptureError) -> ReaderIdentity {
        let identity = try await pad.identify()
        return ReaderIdentity(maker: identity.manufacturer, model: identity.model, serialNumber: identity.serialNumber)
    }

    /// Nil: the specification has no command for it.
    public func battery() async throws(CaptureError) -> BatteryState? { nil }

    public func load(_ file: DevicePackage.File, progress: @Sendable (Double) -> Void) async throws(SupplyError) {
        let tables: ABECSTables
        do { tables = try ABECSTables(file) } catch { throw .package(error) }
        do { try await pad.load(tables, progress: progress) } catch { throw .reader(error) }
    }
}

extension ABECSTables {
    /// A document with `acquirer` (0 to 99), `version` (ten characters) and `records`, each of
    /// which begins with its own length.
    init(_ file: DevicePackage.File) throws(PackageError) {
        let text = try file.text()
        do { self = try Place.document(text, Self.tables) } catch { throw .contents(file: file.name, .document(error)) }
    }

    private static func tables(_ place: Place) throws(DocumentError) -> ABECSTables {
        let members = try place.members(["acquirer", "version", "records"])
        let acquirer: Int = try members.required("acquirer").number(0...99)
        let version = try members.required("version")
        let (text, records) = (try version.text(10...10), try members.required("records"))
        guard let empty = ABECSTables(acquirer: acquirer, version: text, records: []) else {
            throw version.wrong(SupplyFault.tableVersion)
        }
        var list: [String] = []
        for record in try records.list() {
            let text = try record.text()
            guard ABECSTables(acquirer: acquirer, version: empty.version, records: [text]) != nil else {
                throw record.wrong(SupplyFault.tableRecord)
            }
            list.append(text)
        }
        guard !list.isEmpty, let tables = ABECSTables(acquirer: acquirer, version: text, records: list) else {
            throw records.wrong(SupplyFault.noRecord)
        }
        return tables
    }
}
