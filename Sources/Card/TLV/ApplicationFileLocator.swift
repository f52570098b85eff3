/// AFL, tag `94`: the records to read and how many of each file are signed (EMV 4.4 Book 3, 10.2).
public struct ApplicationFileLocator: Equatable, Sendable {
    public struct Entry: Equatable, Sendable {
        /// Short file identifier, 1 to 30.
        public let sfi: UInt8
        public let records: ClosedRange<UInt8>
        /// How many of `records`, from the first, are included in offline data authentication.
        public let authenticatedCount: UInt8
    }

    public let entries: [Entry]

    /// The locator in `bytes`, or nil if it is empty, not a multiple of four bytes, or has an
    /// invalid entry: an SFI of 0 or 31, a first record of 0, a last one before the first, more
    /// authenticated records than records. The three low bits of an entry are reserved and ignored
    /// (EMV 4.4 Book 3, 6.3.6).
    public init?(_ bytes: [UInt8]) { self.init(bytes.span) }

    package init?(_ bytes: Span<UInt8>) {
        guard !bytes.isEmpty, bytes.count % 4 == 0 else { return nil }
        var entries: [Entry] = []
        entries.reserveCapacity(bytes.count / 4)
        for start in stride(from: 0, to: bytes.count, by: 4) {
            let (sfi, first, last, authenticated) = (
                bytes[start] >> 3, bytes[start + 1], bytes[start + 2], bytes[start + 3]
            )
            guard (1...30).contains(sfi), first > 0, first <= last, authenticated <= last - first + 1 else {
                return nil
            }
            entries.append(Entry(sfi: sfi, records: first...last, authenticatedCount: authenticated))
        }
        self.entries = entries
    }

    public init(_ entries: [Entry]) { self.entries = entries }

    public var bytes: [UInt8] {
        entries.flatMap { [$0.sfi << 3, $0.records.lowerBound, $0.records.upperBound, $0.authenticatedCount] }
    }
}

extension ApplicationFileLocator.Entry {
    public init(sfi: UInt8, _ records: ClosedRange<UInt8>, authenticated: UInt8 = 0) {
        self.init(sfi: sfi, records: records, authenticatedCount: authenticated)
    }

    public var summary: String {
        let span =
            records.count == 1 ? "record \(records.lowerBound)" : "records \(records.lowerBound)–\(records.upperBound)"
        return "SFI \(sfi), \(span)" + (authenticatedCount == 0 ? "" : ", \(authenticatedCount) authenticated offline")
    }
}
