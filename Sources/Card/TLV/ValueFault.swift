private import Bytes

/// Why a value cannot be read as that of its data object: the line in place of its meaning.
package enum ValueFault: String, CaseIterable {
    case applicationFileLocator = "not a valid application file locator"
    case cvmList = "not a CVM list: eight bytes and pairs are required"
    case cvmResults = "not CVM results: three bytes are required"
    case dataObjectList = "not a data object list"
    case tagList = "not a list of tags"
    case scriptResults = "not script results: five bytes for each script are required"
    case track2Separator = "not a track 2: a D behind the PAN is required"
    case track2Digits = "not a track 2: up to 19 digits, D and digits are required"
    case track2Rest = "not a track 2: four digits of a date and three of a service code are required behind the D"
    case date = "not a date"
    case time = "not a time"
    case decimal = "not decimal"
    case digit = "not a digit"
    case terminalType = "not a terminal type"
    case fileIdentifier = "not a short file identifier"
    case currency = "not a currency of ISO 4217"
    case country = "not a country of ISO 3166"
    case merchantCategory = "not a merchant category code: four digits are required"
    case terminalCategories = "not terminal categories: two bytes each are required"
    case interactionEntries = "not entries of identifier (2), length (1) and value"

    /// Why `value` cannot be read as that of `tag`, without card data; nil if it can, or if the tag
    /// is unknown.
    package static func text(_ tag: Tag, _ value: [UInt8], in context: ValueContext = ValueContext()) -> String? {
        let named = ValueDescription.lines(tag, value, in: context).first(where: isNamed)
        let definitions = TagDictionary.definitions(tag, context)
        // The line may be that of another system which uses the tag for itself.
        if context.rid == nil, let named, definitions.count > 1, WrongLength.isNamed(in: named),
            definitions.contains(where: { $0.length.contains(value.count) })
        {
            return form(tag, value, context)
        }
        return named ?? form(tag, value, context)
    }

    /// The line of a data object list says which of its entries is wrong.
    private static func isNamed(_ line: String) -> Bool {
        ValueFault(rawValue: line) != nil || line.hasPrefix(dataObjectList.rawValue + ": ")
            || WrongLength.isNamed(in: line)
    }

    /// Length and format by the dictionaries (EMV 4.4 Book 3, 4.3 and annex A1). A tag that several
    /// systems use for themselves has a form of one of them.
    private static func form(_ tag: Tag, _ value: [UInt8], _ context: ValueContext) -> String? {
        let definitions = TagDictionary.definitions(tag, context)
        let fitting = definitions.filter { $0.length.contains(value.count) }
        guard let first = fitting.first ?? definitions.first else { return nil }
        guard !fitting.isEmpty else {
            let (least, most) = (first.length.lowerBound, first.length.upperBound)
            return WrongLength.line(least == most ? "\(least)" : "\(least) to \(most)")
        }
        return fitting.allSatisfy { isDecimal(value, $0.format) } ? nil : decimal.rawValue
    }

    /// True for other formats.
    private static func isDecimal(_ value: [UInt8], _ format: TagDefinition.Format) -> Bool {
        let nibbles = value.flatMap { [$0 >> 4, $0 & 0x0F] }
        switch format {
        case .numeric: return nibbles.allSatisfy { $0 < 10 }
        case .compressedNumeric: return nibbles.drop { $0 < 10 }.allSatisfy { $0 == 0x0F }
        default: return true
        }
    }
}

/// The description of a value that is too short or too long for its data object.
enum WrongLength {
    /// - Parameter lengths: The lengths that are right, in bytes: `1`, `5`, `2 to 5`.
    static func line(_ lengths: String) -> String { "not \(lengths) \(lengths == "1" ? "byte" : "bytes") long" }

    /// Whether `line` is such a description.
    static func isNamed(in line: String) -> Bool {
        line.hasPrefix("not ") && (line.hasSuffix(" byte long") || line.hasSuffix(" bytes long"))
    }
}
