import TLV

/// FCI of the PSE or of an application: template 6F with the DF name and a proprietary template
/// (EMV 4.4 Book 1, 11.3.4).
struct FileControlInformation {
    /// Tag `84`, 5 to 16 bytes.
    let name: [UInt8]
    /// The name, and the data objects of tables 8 and 10 in template A5 and in the BF0C within it.
    /// Other data objects are ignored.
    let data: DataElements

    /// Nil if the bytes are not such a template, if the name, the proprietary template or a length
    /// is invalid, or if one of the first two is repeated. Texts, languages and code table are not
    /// checked (EMV 4.4 Book 1, 12.2.4).
    init?(_ bytes: [UInt8]) {
        var data = DataElements(minimumCapacity: 8, byteCount: bytes.count)
        var names = 0
        var proprietaryTemplates = 0
        let isWellFormed = Template.visit(bytes, tag: .fciTemplate) { path, node in
            switch (path.first, path.count, node.tag) {
            case (nil, _, .dfName):
                names += 1
                data.set(.dfName, bytes[node.value])
            case (nil, _, .fciProprietaryTemplate): proprietaryTemplates += 1
            case (.fciProprietaryTemplate?, 1, let tag) where Self.proprietaryTags.contains(tag):
                data.set(tag, bytes[node.value])
            case (.fciProprietaryTemplate?, 2, let tag)
            where path[1] == .fciIssuerDiscretionaryData && Self.discretionaryTags.contains(tag):
                data.set(tag, bytes[node.value])
            default: break
            }
        }
        guard isWellFormed, names == 1, let name = data[.dfName], (5...16).contains(name.count),
            proprietaryTemplates == 1
        else {
            return nil
        }
        guard data.count(of: .applicationPriorityIndicator) ?? 1 == 1 else { return nil }
        self.name = name
        self.data = data
    }

    private static let proprietaryTags: [Tag] = [
        .shortFileIdentifier, .applicationLabel, .applicationPriorityIndicator, .pdol, .languagePreference,
        .issuerCodeTableIndex, .applicationPreferredName,
    ]

    private static let discretionaryTags: [Tag] = [.logEntry, .applicationSelectionRegisteredProprietaryData]
}
