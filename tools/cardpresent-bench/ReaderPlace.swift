import CardCapture
import CardCryptography
import CardReaders
import Console
import DeviceIO

/// A chip card reader of this machine, and the keys that the card in it is trusted by.
struct ReaderPlace {
    private enum Reader {
        case usb(ReaderCatalog.Found)
        /// By its name there.
        case throughPCSC(String)
    }

    private let reader: Reader
    let caKeys: [CAPublicKey]
    /// Takes down the reader's USB transfers.
    private let wire: WireRecorder?

    /// Nil if no reader is asked for.
    init?(_ options: BenchOptions, wire: WireRecorder? = nil) throws {
        guard let reader = options.reader else { return nil }
        try self.init(reader, caKeys: options.caKeys, wire: wire)
    }

    /// - Parameters:
    ///   - wanted: A device file or a part of the reader's name, `pcsc:` before one of the PC/SC service.
    ///   - caKeys: A file of keys.
    init(_ wanted: String, caKeys: String?, wire: WireRecorder? = nil) throws {
        self.wire = wire
        let readers = try ReaderCatalog.readers().filter { reader in
            reader.model.family == .ccid && (reader.node.node == wanted || reader.name.lowercased().contains(wanted.lowercased()))
        }
        // What the PC/SC service has is taken where no reader of ours is called that, or where "pcsc:" says so.
        let name = wanted.hasPrefix("pcsc:") ? String(wanted.dropFirst(5)) : wanted
        let names = ((try? PCSCReader.names()) ?? []).filter { $0.lowercased().contains(name.lowercased()) }
        if wanted.hasPrefix("pcsc:") || readers.isEmpty, names.count == 1 {
            guard wire == nil else { throw InputError("--wire wants a reader of ours: the PC/SC service does not show its transfers") }
            reader = .throughPCSC(names[0])
        } else if readers.count == 1 {
            reader = .usb(readers[0])
        } else {
            let count = readers.isEmpty ? names.count : readers.count
            throw InputError("\(count) chip card readers are called that: `cardpresent readers` lists what is there")
        }
        self.caKeys = try caKeys.map(Self.keys) ?? []
    }

    static func keys(_ path: String) throws(InputError) -> [CAPublicKey] {
        let (keys, problems) = CAPublicKeyFile.read(try InputFile.text(path))
        if keys.isEmpty, let first = problems.first { throw InputError("\(path): \(first)") }
        for problem in problems { printError("\(path): \(problem): left out") }
        return keys
    }

    /// Its first slot.
    func open() async throws -> any CardSlot {
        switch reader {
        case .throughPCSC(let name): return try PCSCReader(name: name)
        case .usb(let found):
            guard let slot = try await reader(found).open().first else { throw InputError("the reader has no slot") }
            return slot
        }
    }

    private func reader(_ found: ReaderCatalog.Found) throws(DeviceError) -> CCIDReader {
        guard let wire else { return try CCIDReader(found.node) }
        let path = found.node.node
        return try CCIDReader(name: found.name) { cancel throws(DeviceError) in RecordedUSB(try USBDevice(node: path, cancel: cancel), wire)
        }
    }
}
