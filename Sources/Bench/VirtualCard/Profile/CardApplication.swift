public import TLV

/// One name under which the card offers its application (EMV 4.4 Book 1, 11.3.4 and 12.2.3).
public struct CardApplication: Sendable, Equatable {
    /// AID, 5 to 16 bytes, tags `4F` and `84`.
    public var aid: [UInt8]
    /// 1 to 16 characters of ASCII, tag `50`.
    public var label: String
    /// 1 to 16 characters of ``codeTable``, tag `9F12`.
    public var preferredName: String?
    /// The character set of ``preferredName``, tag `9F11`.
    public var codeTable = CodeTable.latin1
    /// 1, the highest, to 15; nil leaves tag `87` out (EMV 4.4 Book 1, table 13).
    public var priority: UInt8?
    /// Bit 8 of tag `87`: not to be selected without the cardholder's confirmation.
    public var needsConfirmation = false
    /// SELECT returns SW `6283` with the FCI (EMV 4.4 Book 1, 12.3.3); it does not begin
    /// transactions.
    public var isBlocked = false

    public init(aid: [UInt8], label: String, preferredName: String? = nil, priority: UInt8? = 1) {
        self.aid = aid
        self.label = label
        self.preferredName = preferredName
        self.priority = priority
    }

    /// The registered application provider identifier.
    public var rid: [UInt8] { Array(aid.prefix(5)) }
}
