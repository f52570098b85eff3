internal import TLV

/// The directory of a card (EMV 4.4 Book 1, 12.2.2 and 12.2.3).
enum DirectoryFile {
    /// Tag `88` in the environment's FCI, 1 to 10.
    static func identifier(_ fci: [UInt8]) -> UInt8? {
        let value = ParsedAnswer(fci).objects.first { $0.tag == .shortFileIdentifier }?.value
        return value.flatMap { $0.count == 1 && (1...10).contains($0[0]) ? $0[0] : nil }
    }

    /// The entries of a record: for each template `61` its data objects, except those within
    /// template `73`.
    ///
    /// - Parameter place: The templates around those that count; nil for any.
    static func entries(_ record: [UInt8], within place: [Tag]? = nil) -> [DataElements] {
        var entries: [DataElements] = []
        var walker = TLVWalker()
        var path: [Tag] = []
        while let node = try? walker.next(in: record.span) {
            path.removeSubrange(min(node.depth, path.count)...)
            if node.tag == .applicationTemplate, place == nil || path == place { entries.append(DataElements()) }
            if path.last == .applicationTemplate, place == nil || path.dropLast() == place, !node.tag.isConstructed,
                !entries.isEmpty
            {
                entries[entries.count - 1].append(node.tag, record[node.value])
            }
            if node.tag.isConstructed { path.append(node.tag) }
        }
        return entries
    }

    /// Where the directory of a reader's field has its entries (EMV Contactless Book B, table 3-2).
    static let placeOfContactlessEntries: [Tag] = [.fciTemplate, .fciProprietaryTemplate, .fciIssuerDiscretionaryData]

    static func names(_ record: [UInt8]) -> [[UInt8]] {
        entries(record).compactMap { $0[.adfName] }.filter { (5...16).contains($0.count) }
    }
}

/// The FCI of an application (EMV 4.4 Book 1, 11.3.4, table 10).
enum ApplicationFile {
    /// Tag `84`.
    static func name(_ fci: [UInt8]) -> [UInt8]? {
        let value = ParsedAnswer(fci).objects.first { $0.tag == .dfName }?.value
        return value.flatMap { (5...16).contains($0.count) ? $0 : nil }
    }

    /// The PDOL; empty if the card has no PDOL.
    static func options(_ fci: [UInt8]) throws(TLVError) -> DOL {
        guard let bytes = ParsedAnswer(fci).objects.first(where: { $0.tag == .pdol })?.value else {
            return DOL(entries: [])
        }
        return try DOL(parsing: bytes)
    }
}

/// The answer to GET PROCESSING OPTIONS: format 1, AIP and AFL one after the other, or format 2,
/// data objects (EMV 4.4 Book 3, 6.5.8.4).
struct ProcessingOptions {
    /// Tag `82`.
    let profileBytes: [UInt8]?
    /// Tag `94`.
    let locator: [UInt8]?
    /// Whether it is one of the two formats, without surrounding bytes.
    let isWellFormed: Bool

    var profile: ApplicationInterchangeProfile? { profileBytes.flatMap(ApplicationInterchangeProfile.init) }

    init(_ bytes: [UInt8]) {
        let answer = ParsedAnswer(bytes)
        if answer.outermost == [.responseTemplate1], let value = answer.objects.first?.value {
            profileBytes = value.count >= 2 ? Array(value.prefix(2)) : nil
            locator = value.count > 2 ? Array(value.dropFirst(2)) : nil
            isWellFormed = answer.error == nil && answer.padding == 0
        } else {
            profileBytes = answer.objects.first { $0.tag == .applicationInterchangeProfile }?.value
            locator = answer.objects.first { $0.tag == .applicationFileLocator }?.value
            isWellFormed = answer.error == nil && answer.padding == 0 && answer.outermost == [.responseTemplate2]
        }
    }
}
