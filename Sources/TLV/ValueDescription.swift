private import Bytes

/// What the value of a data element says, in words, bit by bit where it has bits.
public enum ValueDescription {
    /// Lines that explain `value` as that of `tag`; empty if its bytes say all there is to say.
    public static func lines(_ tag: Tag, _ value: [UInt8]) -> [String] {
        switch tag {
        case .terminalVerificationResults, .issuerActionCodeDefault, .issuerActionCodeDenial, .issuerActionCodeOnline:
            words(TerminalVerificationResults.self, value, none: "no bit set")
        case .transactionStatusInformation: words(TransactionStatusInformation.self, value, none: "nothing performed")
        case .applicationInterchangeProfile: words(ApplicationInterchangeProfile.self, value, none: "nothing supported")
        case .applicationUsageControl: words(ApplicationUsageControl.self, value, none: "no use allowed")
        case .terminalCapabilities: words(TerminalCapabilities.self, value, none: "none")
        case .additionalTerminalCapabilities: words(AdditionalTerminalCapabilities.self, value, none: "none")
        case .cvmResults: CVMResults(value).map { [$0.words] } ?? ["not CVM results: three bytes are wanted"]
        case .cvmList: cvmList(value)
        case .cryptogramInformationData: value.count == 1 ? CryptogramInformationData(rawValue: value[0]).words : []
        case .applicationFileLocator:
            ApplicationFileLocator(value).map { $0.entries.map(\.words) } ?? ["not a valid application file locator"]
        case .pdol, .cdol1, .cdol2, .ddol, .tdol, .logFormat: dol(value)
        default: text(tag, value)
        }
    }

    private static func words<Field: BitField>(_ field: Field.Type, _ value: [UInt8], none: String) -> [String] {
        guard let field = Field(value) else { return ["not \(Field.byteCount) bytes long"] }
        return field.words.isEmpty ? [none] : field.words
    }

    private static func cvmList(_ value: [UInt8]) -> [String] {
        guard let list = CVMList(value) else { return ["not a CVM list: eight bytes and pairs are wanted"] }
        return ["X = \(list.x), Y = \(list.y)"] + list.rules.map(\.words)
    }

    private static func dol(_ value: [UInt8]) -> [String] {
        do {
            return try DOL(parsing: value).entries.map { "\($0.tag) \(TagDictionary[$0.tag]?.name ?? "unknown"), \($0.length) bytes" }
        } catch {
            return ["not a data object list: \(error)"]
        }
    }

    private static func text(_ tag: Tag, _ value: [UInt8]) -> [String] {
        guard let format = TagDictionary[tag]?.format else { return [] }
        switch format {
        case .alphabetic, .alphanumeric, .alphanumericSpecial:
            return value.isEmpty ? [] : ["\"\(printable(value))\""]
        case .numeric where tag == .amountAuthorised || tag == .amountOther:
            return BCD.number(value).map { ["\($0) minor units"] } ?? ["not decimal"]
        case .numeric where value.count == 3 && [.transactionDate, .applicationExpirationDate, .applicationEffectiveDate].contains(tag):
            return BCD.number(value) == nil ? ["not a date"] : ["20\(value[0].hex)-\(value[1].hex)-\(value[2].hex)"]
        default:
            return []
        }
    }

    /// `bytes` as ASCII, every byte outside 20–7E shown as a point, so that a card cannot send control sequences to a screen.
    public static func printable(_ bytes: [UInt8]) -> String {
        String(decoding: bytes.map { (0x20...0x7E).contains($0) ? $0 : 0x2E }, as: UTF8.self)
    }
}
