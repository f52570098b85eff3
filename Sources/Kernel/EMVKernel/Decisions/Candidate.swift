private import Bytes
public import TLV

/// An application that card and terminal have in common (EMV 4.4 Book 1, 12.3).
public struct Candidate: Sendable, Equatable, CustomStringConvertible {
    /// The card's name for the application, 5 to 16 bytes.
    public let name: [UInt8]
    /// Tag `50`, unchanged.
    public let label: [UInt8]?
    /// Tag `9F12`, in the character set ``codeTable``.
    public let preferredName: [UInt8]?
    /// Tag `9F11`, of the application or of the PSE; nil if the card has no code table index, or an
    /// invalid one.
    public let codeTable: CodeTable?
    /// Tag `5F2D`, of the application or of the PSE, the most preferred first.
    public let languages: [Language]
    /// Tag `87`.
    public let priorityIndicator: UInt8?
    /// The terminal application that it matched.
    let application: Int

    /// 1, the highest, to 15; nil if the card assigns no priority (EMV 4.4 Book 1, table 13).
    public var priority: UInt8? { priorityIndicator.map { $0 & 0x0F }.flatMap { $0 == 0 ? nil : $0 } }
    /// Bit 8 of the priority indicator: not to be selected without the cardholder's confirmation.
    public var needsConfirmation: Bool { priorityIndicator.map { $0 & 0x80 != 0 } ?? false }

    /// - Parameter environment: The PSE's FCI, whose code table and languages are used if `data`
    ///   lacks them (EMV 4.4 Book 1, 12.2.2).
    init(name: [UInt8], from data: DataElements, environment: DataElements = DataElements(), application: Int) {
        self.name = name
        label = data[.applicationLabel]
        preferredName = data[.applicationPreferredName]
        codeTable = Self.codeTable(data) ?? Self.codeTable(environment)
        let own = LanguageSelection.preferences(data[.languagePreference])
        languages = own.isEmpty ? LanguageSelection.preferences(environment[.languagePreference]) : own
        priorityIndicator = data[.applicationPriorityIndicator]?.first
        self.application = application
    }

    private static func codeTable(_ data: DataElements) -> CodeTable? {
        guard let value = data[.issuerCodeTableIndex], value.count == 1 else { return nil }
        return CodeTable(index: value[0])
    }

    /// The name to show a cardholder: the preferred name if the terminal supports its code table,
    /// else the label in the common character set, else the AID (EMV 4.4 Book 1, 12.4; Book 4,
    /// 11.3).
    ///
    /// A byte that is not a character of its table is shown as a space. A name that is empty, blank
    /// or longer than 16 bytes counts as absent (Book 1, 12.2.4).
    public func displayName(_ capabilities: AdditionalTerminalCapabilities) -> String {
        if let preferredName, let codeTable, capabilities.supportsCodeTable(codeTable.rawValue),
            let name = Self.shown(preferredName, codeTable.text)
        {
            return name
        }
        return label.flatMap { Self.shown($0, CommonCharacterSet.text) } ?? name.hex
    }

    /// Nil if `bytes` are not a name of 1 to 16 bytes, or have no visible character. Trailing
    /// blanks are removed.
    private static func shown(_ bytes: [UInt8], _ text: ([UInt8]) -> String) -> String? {
        guard (1...16).contains(bytes.count) else { return nil }
        var name = text(bytes)
        while let last = name.last, last.isWhitespace { name.removeLast() }
        return name.isEmpty ? nil : name
    }

    public var description: String { "\(name.hex)" + (label.map { " \"\(ValueDescription.printable($0))\"" } ?? "") }
}
