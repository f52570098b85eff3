private import Bytes
public import TLV

/// An application that card and terminal have in common (EMV 4.4 Book 1, 12.3).
public struct Candidate: Sendable, Equatable, CustomStringConvertible {
    /// The card's name for the application, 5 to 16 bytes.
    public let name: [UInt8]
    /// Tag `50`, as it is.
    public let label: [UInt8]?
    /// Tag `9F12`, coded as ``codeTableIndex`` says.
    public let preferredName: [UInt8]?
    /// Tag `9F11`: the part of ISO/IEC 8859, 1 to 10.
    public let codeTableIndex: UInt8?
    /// Tag `87`.
    public let priorityIndicator: UInt8?
    /// The terminal application that it matched.
    let application: Int

    /// 1, the highest, to 15; nil if the card gives none (EMV 4.4 Book 1, table 48).
    public var priority: UInt8? { priorityIndicator.map { $0 & 0x0F }.flatMap { $0 == 0 ? nil : $0 } }
    /// Bit 8 of the priority indicator: not to be selected without the cardholder's confirmation.
    public var needsConfirmation: Bool { priorityIndicator.map { $0 & 0x80 != 0 } ?? false }

    init(name: [UInt8], from data: DataElements, application: Int) {
        self.name = name
        label = data[.applicationLabel]
        preferredName = data[.applicationPreferredName]
        codeTableIndex = data[.issuerCodeTableIndex]?.first
        priorityIndicator = data[.applicationPriorityIndicator]?.first
        self.application = application
    }

    /// The name to show a cardholder: the preferred name if the terminal has its characters, else the label, else the AID.
    ///
    /// The preferred name is given as ASCII where it is ASCII; other characters need the code table that its index names
    /// (EMV 4.4 Book 4, 11.3).
    public func displayName(_ capabilities: AdditionalTerminalCapabilities) -> String {
        if let preferredName, let codeTableIndex, capabilities.supportsCodeTable(Int(codeTableIndex)),
            preferredName.allSatisfy({ $0 < 0x80 })
        {
            return ValueDescription.printable(preferredName)
        }
        return label.map(ValueDescription.printable) ?? name.hex
    }

    public var description: String { "\(name.hex)" + (label.map { " \"\(ValueDescription.printable($0))\"" } ?? "") }
}

/// Building and ordering the list of candidates (EMV 4.4 Book 1, 12.3 and 12.4).
enum CandidateList {
    /// The index of the first terminal application that takes a card application called `name`.
    static func match(_ name: [UInt8], in applications: [ApplicationConfiguration]) -> Int? {
        guard (5...16).contains(name.count) else { return nil }
        return applications.firstIndex { $0.aid == name || ($0.matchesPartially && name.starts(with: $0.aid)) }
    }

    /// Highest priority first; those without priority last, in the order in which they came.
    static func ordered(_ candidates: [Candidate]) -> [Candidate] {
        let byPriority = candidates.enumerated().sorted { left, right in
            (left.element.priority ?? 16, left.offset) < (right.element.priority ?? 16, right.offset)
        }
        return byPriority.map(\.element)
    }

    /// The candidate to take without asking: the only one if it needs no confirmation, or for a terminal that cannot ask the first that needs none.
    static func automaticChoice(_ ordered: [Candidate], canAsk: Bool) -> Candidate? {
        if canAsk { return ordered.count == 1 && !ordered[0].needsConfirmation ? ordered[0] : nil }
        return ordered.first { !$0.needsConfirmation }
    }
}
