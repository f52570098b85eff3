public import EMVKernel
public import TLV

/// The card's answer to the final SELECT (EMV 4.4 Book 1, 11.3.4; EMV Contactless Book B, 3.3.3).
public struct ApplicationInformation: Sendable {
    /// The primitive data objects of template `6F`, of `A5` within it and of `BF0C` within that.
    public let data: DataElements

    /// Nil if `bytes` are not a well-formed template `6F`, or a data object is repeated. What is
    /// behind the template is not part of it, and ignored as padding is, if it is well formed.
    public init?(parsing bytes: [UInt8]) {
        var data = DataElements()
        var isRepeated = false
        let isWellFormed = Template.visit(bytes, tag: .fciTemplate, ignoringRest: true) { path, node in
            guard Self.places.contains(path), !node.tag.isConstructed else { return }
            if data.contains(node.tag) { isRepeated = true }
            data.append(node.tag, bytes[node.value])
        }
        guard isWellFormed, !isRepeated else { return nil }
        self.data = data
    }

    private static let places: [[Tag]] = [
        [], [.fciProprietaryTemplate], [.fciProprietaryTemplate, .fciIssuerDiscretionaryData],
    ]

    /// Tag `84`, 5 to 16 bytes; nil if it is absent or has another length.
    public var name: [UInt8]? { data[.dfName].flatMap { (5...16).contains($0.count) ? $0 : nil } }

    /// Tag `9F38`; nil if it is absent.
    public func pdol() throws(TLVError) -> DOL? {
        guard let bytes = data[.pdol] else { return nil }
        return try DOL(parsing: bytes)
    }

    /// Tag `5F2D`, the most preferred first; empty if it is malformed.
    public var languages: [Language] { LanguageSelection.preferences(data[.languagePreference]) }
}
