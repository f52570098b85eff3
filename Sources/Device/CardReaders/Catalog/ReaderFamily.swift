public import CardCapture
import DeviceIO

/// A family of readers with one driver: how they are identified, what they can do and how they are
/// opened.
public struct ReaderFamily: Sendable {
    /// The name for display: the protocol, or the maker and the protocol. It is unique.
    public let name: String
    /// The id table. Readers that cannot be distinguished from other devices have no row.
    public let models: [ReaderModel]
    /// What readers of the family can do through the driver.
    public let capabilities: ReaderCapabilities
    /// Opens and identifies the reader: what it returns is there.
    let open: @Sendable (Opening) async throws(DeviceError) -> OpenedReader
    /// Nil for readers without a separate stripe slot.
    let openMagstripe: (@Sendable (MagstripeOpening) throws(DeviceError) -> any MagstripeSlot)?

    /// Whether ``ReaderCatalog/magstripeSlot(_:path:product:layout:)`` has a slot for it.
    public var hasMagstripeSlot: Bool { openMagstripe != nil }

    /// The parameters for opening a reader.
    struct Opening: Sendable {
        let node: DeviceNode
        /// The name that the device reports.
        let name: String
        let clock: @Sendable () -> Timestamp
        let choose: @Sendable ([String]) async -> Int?
        /// The interface where a card is expected, for readers that may have both.
        let interface: ReaderEvent.CardInterface

        var path: String { node.node }
        /// For the stripe reader of the device.
        var magstripe: MagstripeOpening { MagstripeOpening(path: path, product: node.product, layout: .american) }
    }

    /// The parameters for opening a stripe reader.
    struct MagstripeOpening: Sendable {
        /// A hidraw node, or a tty for families that have serial readers.
        let path: String
        /// The product of the USB device, for families where it matters.
        let product: UInt16?
        /// The layout of a keyboard wedge.
        let layout: KeyboardLayout

        var isHID: Bool { path.contains("hidraw") }
    }

    init(
        _ name: String, models: [ReaderModel] = [], capabilities: ReaderCapabilities,
        openMagstripe: (@Sendable (MagstripeOpening) throws(DeviceError) -> any MagstripeSlot)? = nil,
        open: @escaping @Sendable (Opening) async throws(DeviceError) -> OpenedReader
    ) {
        self.name = name
        self.models = models
        self.capabilities = capabilities
        self.openMagstripe = openMagstripe
        self.open = open
    }

    /// A family of stripe readers.
    init(
        magstripe name: String, models: [ReaderModel] = [], capabilities: ReaderCapabilities,
        open: @escaping @Sendable (MagstripeOpening) throws(DeviceError) -> any MagstripeSlot & OpeningDriver
    ) {
        self.init(name, models: models, capabilities: capabilities, openMagstripe: open) {
            opening throws(DeviceError) in
            .magstripe(try await open(opening.magstripe).ready())
        }
    }

    /// Every family, each described in its own folder.
    public static let all: [ReaderFamily] = [
        .ccid, .magTekSwipe, .magTekDynamo, .magTekTDynamo, .magTekMMS, .idTechSwipe, .idTechNEO, .miura, .abecs,
        .msr605, .keyboardWedge, .hidMagstripe, .gemPCTwin, .phoenix, .pn53x,
    ]

    /// The family whose name begins with `name`; nil if there is none or more than one. Only
    /// letters and digits count, in either case: `gempc` is ``gemPCTwin``.
    public static func named(_ name: String) -> ReaderFamily? {
        let requested = key(name)
        let matching = requested.isEmpty ? [] : all.filter { key($0.name).hasPrefix(requested) }
        return matching.count == 1 ? matching[0] : nil
    }

    private static func key(_ name: String) -> String { name.lowercased().filter { $0.isLetter || $0.isNumber } }
}

extension ReaderFamily: Hashable {
    public static func == (one: Self, other: Self) -> Bool { one.name == other.name }
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension ReaderFamily: CustomStringConvertible {
    public var description: String { name }
}
