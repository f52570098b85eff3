import CardCapture
import CardCryptography
import CardReaders
import Console
import DeviceIO

/// A reader of this computer, and the CA keys for chip cards in it.
struct ReaderPlace {
    private enum Reader {
        case ours(ReaderCatalog.Found)
        /// By its name in the PC/SC service.
        case throughPCSC(String)
    }

    private let reader: Reader
    let caKeys: [CAPublicKey]
    /// Records the reader's USB transfers.
    private let wire: WireRecorder?

    /// Nil if no reader is requested.
    init?(_ options: BenchOptions, wire: WireRecorder? = nil) throws {
        guard let reader = options.reader else { return nil }
        try self.init(reader, caKeys: options.caKeys, wire: wire)
    }

    /// - Parameters:
    ///   - requested: A device file or a part of the reader's name, `pcsc:` before one of the PC/SC
    ///     service; a family and a device file (`phoenix:/dev/ttyUSB0`) for a reader that cannot be
    ///     identified.
    ///   - caKeys: A file of keys.
    init(_ requested: String, caKeys: String?, wire: WireRecorder? = nil) throws {
        self.wire = wire
        self.caKeys = try caKeys.map(Self.keys) ?? []
        if let named = ReaderCatalog.named(requested) {
            guard wire == nil else { throw InputError("--wire records only chip card readers on USB") }
            reader = .ours(named)
            return
        }
        let readers = try ReaderCatalog.readers().filter { reader in
            reader.node.node == requested || reader.name.lowercased().contains(requested.lowercased())
        }
        // Readers of the PC/SC service are used if no reader of our own has that name, or with
        // "pcsc:".
        let isOfService = requested.hasPrefix(ReaderCatalog.throughPCSC)
        let name = isOfService ? String(requested.dropFirst(ReaderCatalog.throughPCSC.count)) : requested
        let names = ((try? PCSCReader.names()) ?? []).filter { $0.lowercased().contains(name.lowercased()) }
        if isOfService || readers.isEmpty, names.count == 1 {
            guard wire == nil else {
                throw InputError("--wire needs a directly driven reader: the PC/SC service does not show its transfers")
            }
            reader = .throughPCSC(names[0])
        } else if readers.count == 1 {
            guard wire == nil || readers[0].family == .ccid else {
                throw InputError("--wire records only chip card readers on USB")
            }
            reader = .ours(readers[0])
        } else {
            let count = readers.isEmpty ? names.count : readers.count
            throw InputError("\(count) readers match \"\(requested)\": `cardpresent readers` lists them")
        }
    }

    static func keys(_ path: String) throws(InputError) -> [CAPublicKey] {
        let (keys, problems) = CAPublicKeyFile.read(try InputFile.text(path))
        if keys.isEmpty, let first = problems.first { throw InputError("\(path): \(first)") }
        for problem in problems { printError("\(path): \(problem): left out") }
        return keys
    }

    /// - Parameter interface: The interface where the card is expected.
    func open(_ interface: ReaderEvent.CardInterface = .contact) async throws -> OpenedReader {
        // A plain reader of another interface needs not be opened to be refused; a CCID reader may
        // have both.
        if case .ours(let found) = reader, found.family != .ccid, !found.family.capabilities.contains(.ownKernel) {
            try Self.check(found.name, found.family.capabilities, interface)
        }
        let opened = try await opened(interface)
        if let slot = opened.slot { try Self.check(slot.name, slot.capabilities, interface) }
        return opened
    }

    private static func check(
        _ name: String, _ capabilities: ReaderCapabilities, _ interface: ReaderEvent.CardInterface
    ) throws(InputError) {
        guard !capabilities.isDisjoint(with: [.contactChip, .contactlessChip]),
            capabilities.isDisjoint(with: interface == .contact ? .contactChip : .contactlessChip)
        else { return }
        throw InputError(
            interface == .contact
                ? "\(name) has no contacts: sell with --tap, or use another reader"
                : "\(name) has no field for contactless cards: sell without --tap, or use another reader")
    }

    private func opened(_ interface: ReaderEvent.CardInterface) async throws -> OpenedReader {
        switch reader {
        case .throughPCSC(let name):
            Progress.note("waiting for a card in \(name); Ctrl-C ends it")
            return .chip(try PCSCReader(name: name, interface: interface))
        case .ours(let found):
            Progress.note("waiting for a card in \(found.name); Ctrl-C ends it")
            guard let wire else { return try await found.open(interface: interface) }
            let path = found.node.node
            let reader = try CCIDReader(name: found.name, interface: interface) { cancel throws(DeviceError) in
                RecordedUSB(try USBDevice(node: path, cancel: cancel), wire)
            }
            guard let slot = try await reader.open().first else { throw InputError("the reader has no slot") }
            return .chip(slot)
        }
    }

    /// The place for chip cards of a reader without a kernel of its own.
    func chipSlot(_ interface: ReaderEvent.CardInterface = .contact) async throws -> any CardSlot {
        guard let slot = try await open(interface).slot else {
            throw InputError("the reader gives no access to chip cards: use another one")
        }
        return slot
    }
}

extension OpenedReader {
    /// Nil for readers without access to chip cards.
    var slot: (any CardSlot)? {
        switch self {
        case .chip(let slot), .chipAndMagstripe(let slot, _): slot
        case .magstripe, .reader: nil
        }
    }
}
