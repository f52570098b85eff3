private import Bytes
public import TLV

/// The static data to be authenticated: the content of the records marked in the AFL, and the AIP
/// if the card's tag list contains it (EMV 4.4 Book 3, 10.3).
public struct StaticData: Sendable {
    @Wiped private var bytes: [UInt8]
    private var hasUnusableRecord = false

    /// Initially empty: records are added as they are read.
    public init() {}

    /// The number of bytes of the records so far.
    public var count: Int { bytes.count }

    /// Adds a record of the AFL that is marked for authentication: from files 1 to 10 the value of
    /// template `70`, from other files the whole record.
    public mutating func append(record: [UInt8], sfi: UInt8) {
        guard let place = Template.place(in: record, tag: .recordTemplate) else {
            hasUnusableRecord = true
            return
        }
        if bytes.isEmpty { _bytes.reserveCapacity(256) }
        if sfi <= 10 { _bytes.append(contentsOf: record[place]) } else { _bytes.append(contentsOf: record) }
    }

    /// The issuer certified card data of XDA: the records, then AIP, AID and PDOL if there is one,
    /// each with tag and length (EMV 4.4 Book 3, 10.3).
    ///
    /// - Parameter aid: tag `9F06`.
    public func issuerCertified(_ card: DataElements, aid: [UInt8]) throws(DataAuthenticationFailure) -> [UInt8] {
        guard !hasUnusableRecord else { throw .unusableRecord }
        var builder = TLVBuilder()
        builder.append(.applicationInterchangeProfile, card[.applicationInterchangeProfile] ?? [])
        builder.append(.applicationIdentifierTerminal, aid)
        if let pdol = card[.pdol] { builder.append(.pdol, pdol) }
        return bytes + builder.bytes
    }

    /// Calls `body` with ``complete(_:)``, which is wiped afterwards.
    package func complete<Result>(
        _ card: DataElements, _ body: ([UInt8]) throws(DataAuthenticationFailure) -> Result
    ) throws(DataAuthenticationFailure) -> Result {
        var data = try complete(card)
        defer { wipe(&data) }
        return try body(data)
    }

    /// The data with the addition of the static data authentication tag list (`9F4A`), which may
    /// contain only the AIP.
    public func complete(_ card: DataElements) throws(DataAuthenticationFailure) -> [UInt8] {
        guard !hasUnusableRecord else { throw .unusableRecord }
        guard card.contains(.staticDataAuthenticationTagList) else { return bytes }
        // The tag has one byte.
        guard card.count(of: .staticDataAuthenticationTagList) == 1,
            card.integer(.staticDataAuthenticationTagList) == UInt64(Tag.applicationInterchangeProfile.rawValue),
            let aip = card[.applicationInterchangeProfile]
        else { throw .staticDataTagList }
        return bytes + aip
    }
}
