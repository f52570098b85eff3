import TLV

/// A record of the payment system directory: template 70 with one application template 61 for each
/// entry (EMV 4.4 Book 1, 12.2.3).
enum DirectoryRecord {
    /// The entries for applications, each with its ADF name and the other data objects of table 12.
    /// The data objects in the discretionary template 73 are ignored. Nil if the record is
    /// malformed, or an entry has no name.
    ///
    /// A directory has no entries for DDFs; they are ignored, as 12.2.3 allows.
    static func entries(_ bytes: [UInt8]) -> [DataElements]? {
        var entries: [DataElements] = []
        let isWellFormed = Template.visit(bytes, tag: .recordTemplate) { path, node in
            switch path {
            case []: if node.tag == .applicationTemplate { entries.append(DataElements()) }
            case [.applicationTemplate]:
                if tags.contains(node.tag) { entries[entries.count - 1][node.tag] = Array(bytes[node.value]) }
            default: break
            }
        }
        guard isWellFormed, entries.allSatisfy({ isComplete($0) }) else { return nil }
        return entries.filter { $0.contains(.adfName) }
    }

    private static func isComplete(_ entry: DataElements) -> Bool {
        guard let name = entry[.adfName] else { return entry.contains(.ddfName) }
        return (5...16).contains(name.count) && entry[.applicationPriorityIndicator].map { $0.count == 1 } ?? true
    }

    /// The tags of table 12, the name of a DDF, and the code table. The book has the code table
    /// only in the PSE's FCI, but known cards repeat it with the name.
    private static let tags: [Tag] = [
        .adfName, .ddfName, .applicationLabel, .applicationPreferredName, .applicationPriorityIndicator,
        .issuerCodeTableIndex,
    ]
}
