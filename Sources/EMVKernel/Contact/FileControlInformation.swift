import TLV

/// FCI of the PSE or of an application: template 6F with the DF name and a proprietary template (EMV 4.4 Book 1, 11.3.4).
struct FileControlInformation {
    /// Tag `84`, 5 to 16 bytes.
    let name: [UInt8]
    /// The name, and what tables 8 and 10 have in template A5 and in the BF0C within it. Anything else in an FCI is ignored.
    let data: DataElements

    /// Nil if the bytes are no such template, if the name, the proprietary template or a length is wrong, or if one of the first two comes
    /// twice. Texts, languages and code table are not looked at (EMV 4.4 Book 1, 12.2.4).
    init?(_ bytes: [UInt8]) {
        var data = DataElements()
        var names: [[UInt8]] = []
        var proprietaryTemplates = 0
        let isWellFormed = Template.visit(bytes, tag: .fciTemplate) { path, node in
            switch (path, node.tag) {
            case ([], .dfName): names.append(Array(bytes[node.value]))
            case ([], .fciProprietaryTemplate): proprietaryTemplates += 1
            case ([.fciProprietaryTemplate], let tag) where Self.proprietaryTags.contains(tag),
                ([.fciProprietaryTemplate, .fciIssuerDiscretionaryData], let tag) where Self.discretionaryTags.contains(tag):
                data[tag] = Array(bytes[node.value])
            default: break
            }
        }
        guard isWellFormed, names.count == 1, (5...16).contains(names[0].count), proprietaryTemplates == 1 else { return nil }
        guard data[.applicationPriorityIndicator].map({ $0.count == 1 }) ?? true else { return nil }
        name = names[0]
        data[.dfName] = name
        self.data = data
    }

    private static let proprietaryTags: [Tag] = [
        .shortFileIdentifier, .applicationLabel, .applicationPriorityIndicator, .pdol, .languagePreference, .issuerCodeTableIndex,
        .applicationPreferredName,
    ]

    private static let discretionaryTags: [Tag] = [.logEntry, .applicationSelectionRegisteredProprietaryData]
}
