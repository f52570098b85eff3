import CardCryptography
import CardReaders
import Console
import DeviceIO

/// A chip card reader of this machine, and the keys that the card in it is trusted by.
struct ReaderPlace {
    let reader: ReaderCatalog.Found
    let caKeys: [CAPublicKey]

    /// Nil if no reader is asked for.
    init?(_ options: BenchOptions) throws {
        guard let wanted = options.reader else { return nil }
        let readers = try ReaderCatalog.readers().filter { reader in
            reader.model.family == .ccid && (reader.node.node == wanted || reader.name.lowercased().contains(wanted.lowercased()))
        }
        guard readers.count == 1 else {
            throw InputError("\(readers.count) chip card readers are called that: `cardpresent readers` lists what is there")
        }
        reader = readers[0]
        caKeys = try options.caKeys.map(Self.keys) ?? []
    }

    private static func keys(_ path: String) throws(InputError) -> [CAPublicKey] {
        let text = try InputFile.text(path)
        do throws(CAPublicKeyFileError) {
            return try CAPublicKeyFile.parse(text)
        } catch {
            throw InputError("\(path): \(error)")
        }
    }

    /// Its first slot.
    func open() async throws -> any CardSlot {
        let slots = try await CCIDReader(reader.node).open()
        guard let slot = slots.first else { throw InputError("the reader has no slot") }
        return slot
    }
}
