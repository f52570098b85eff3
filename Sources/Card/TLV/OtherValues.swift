private import Bytes

/// The meanings of values that are neither bits nor plain numbers: entry modes, categories,
/// kernels, production data.
enum OtherValues {
    /// Nil for any other tag.
    static func lines(_ tag: Tag, _ value: [UInt8], _ context: ValueContext) -> [String]? {
        switch tag {
        case .pointOfServiceEntryMode:
            value.count == 1 ? [entryModes[value[0]] ?? "a mode that ISO 8583 does not list"] : []
        case .merchantCategoryCode: category(value)
        case .kernelIdentifier: kernel(value)
        case .kernelIdentifierTerminal: terminalKernel(value)
        case .terminalCategoriesSupported: categories(value)
        case .pointOfInteractionInformation: pointOfInteraction(value)
        case 0x9F7F where value.count == 42: productionLifeCycle(value)
        default: nil
        }
    }

    /// The first two digits of ISO 8583:1987, field 22.
    private static let entryModes: [UInt8: String] = [
        0x00: "not specified", 0x01: "keyed in", 0x02: "magnetic stripe, perhaps not whole", 0x03: "bar code",
        0x04: "characters read by machine", 0x05: "chip, by contacts", 0x06: "track 1, whole",
        0x07: "chip, contactless", 0x09: "electronic commerce with a remote chip", 0x10: "credential on file",
        0x79: "keyed in after a chip that could not be read",
        0x80: "magnetic stripe after a chip that could not be read", 0x81: "electronic commerce",
        0x90: "magnetic stripe, whole", 0x91: "magnetic stripe data, contactless",
        0x95: "chip, by contacts, its data perhaps unreliable",
    ]

    /// The ranges of ISO 18245.
    private static func category(_ value: [UInt8]) -> [String] {
        guard value.count == 2, let code = BCD.number(value) else { return [ValueFault.merchantCategory.rawValue] }
        let ranges: [(ClosedRange<UInt64>, String)] = [
            (1...1499, "agricultural services"), (1500...2999, "contracted services"), (3000...3299, "airlines"),
            (3300...3499, "car rental"),
            (3500...3999, "lodging"), (4000...4799, "transportation"), (4800...4999, "utilities"),
            (5000...5599, "retail outlets"),
            (5600...5699, "clothing"), (5700...7299, "various shops and services"), (7300...7999, "business services"),
            (8000...8999, "professional services and organisations"), (9000...9999, "government services"),
        ]
        return ["\(value.hex)" + (ranges.first { $0.0.contains(code) }.map { ", \($0.1)" } ?? ", not used")]
    }

    // MARK: Entry point (EMV Contactless Book B)

    /// Tag `9F2A` (3.3.2.5): a short identifier, with two further bytes for domestic kernels.
    private static func kernel(_ value: [UInt8]) -> [String] {
        guard let first = value.first else { return ["empty: the kernel of the payment system"] }
        let number = first & 0x3F
        switch first >> 6 {
        case 0: return [number == 0 ? "the kernel of the payment system" : "kernel \(number)"]
        case 1: return ["kernel \(first), in a reserved form"]
        case 2: return ["domestic kernel by EMVCo's numbers, \(value.prefix(3).hex)"]
        default: return ["domestic kernel, proprietary, \(value.prefix(3).hex)"]
        }
    }

    /// Tag `96` (2.11, table 3-7): identifier (3), then the reader's capabilities for kernel 8.
    private static func terminalKernel(_ value: [UInt8]) -> [String] {
        guard value.count == 8 else { return [WrongLength.line("8")] }
        return kernel(Array(value.prefix(3))) + (value[3] & 0x80 == 0 ? [] : ["reader supports kernel 8"])
            + (value[3] & 0x40 == 0 ? [] : ["kernel 8 supported for this transaction"])
    }

    /// Tag `9F3E` (table A-2): two bytes for each category.
    private static func categories(_ value: [UInt8]) -> [String] {
        guard value.count % 2 == 0 else { return [ValueFault.terminalCategories.rawValue] }
        return stride(from: 0, to: value.count, by: 2).map { terminalCategory(Array(value[$0..<$0 + 2])) }
    }

    private static func terminalCategory(_ value: [UInt8]) -> String {
        switch value {
        case [0, 1]: "terminal category 0001, transit gate"
        case [0, 2]: "terminal category 0002, loyalty"
        default: "terminal category \(value.hex)"
        }
    }

    /// Tag `8B` (annex C): identifier (2), length (1), value, one after the other.
    private static func pointOfInteraction(_ value: [UInt8]) -> [String] {
        var lines: [String] = []
        var at = 0
        while at + 3 <= value.count, at + 3 + Int(value[at + 2]) <= value.count {
            let contents = Array(value[at + 3..<at + 3 + Int(value[at + 2])])
            let isCategory = value[at] == 0 && value[at + 1] == 1 && contents.count == 2
            lines.append(isCategory ? terminalCategory(contents) : "entry \(value[at..<at + 2].hex): \(contents.hex)")
            at += 3 + contents.count
        }
        return at == value.count ? lines : [ValueFault.interactionEntries.rawValue]
    }

    // MARK: Card production life cycle (GlobalPlatform Card Specification 2.1.1, and Visa's
    // GlobalPlatform guide)

    private static func productionLifeCycle(_ value: [UInt8]) -> [String] {
        var lines = ["card production life cycle data"]
        var at = 0
        for (name, count, isDate) in productionFields {
            let field = value[at..<at + count]
            lines.append("\(name) \(field.hex)" + (isDate ? day(field) : ""))
            at += count
        }
        return lines
    }

    /// YDDD: the last digit of the year, the day of the year.
    private static func day(_ value: ArraySlice<UInt8>) -> String {
        guard let number = BCD.number(value), (1...366).contains(number % 1000) else { return "" }
        return ", day \(number % 1000) of a year that ends in \(number / 1000)"
    }

    private static let productionFields: [(String, Int, Bool)] = [
        ("IC fabricator", 2, false), ("IC type", 2, false), ("operating system", 2, false),
        ("operating system release date", 2, true),
        ("operating system release level", 2, false), ("IC fabrication date", 2, true), ("IC serial number", 4, false),
        ("IC batch", 2, false), ("IC module fabricator", 2, false), ("IC module packaging date", 2, true),
        ("ICC manufacturer", 2, false),
        ("IC embedding date", 2, true), ("pre-personaliser", 2, false), ("pre-personalization date", 2, true),
        ("pre-personalization equipment", 4, false), ("personaliser", 2, false), ("personalization date", 2, true),
        ("personalization equipment", 4, false),
    ]
}
