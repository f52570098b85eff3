import SmartCard
import TLV

/// Read application data (EMV 4.4 Book 3, 10.2).
extension ContactTransaction {
    mutating func readApplicationData(_ application: ApplicationConfiguration) async throws(Termination) {
        guard let locator = ApplicationFileLocator(data.card) else { throw .invalidData(.applicationFileLocator) }
        // A card has some thirty data objects, and certificates of a hundred to two hundred bytes.
        // More than 1 KiB would take the allocator's slow path.
        data.card.reserveCapacity(32, byteCount: 900)
        let count = locator.entries.reduce(0) { $0 + $1.records.count }
        guard count <= ContactKernel.maximumRecords else { throw .tooManyRecords }
        for entry in locator.entries {
            for record in entry.records {
                let response = try await send(.readRecord(record, sfi: entry.sfi))
                guard response.status == .success else { throw .commandFailed(.readRecord, response.status) }
                let isAuthenticated = record - entry.records.lowerBound < entry.authenticatedCount
                try take(response.data, sfi: entry.sfi, isAuthenticated: isAuthenticated)
            }
        }
        for tag in [Tag.applicationExpirationDate, .applicationPAN, .cdol1, .cdol2] where !data.card.contains(tag) {
            throw .missingData(tag)
        }
        if let tag = CardDataObjects.firstInvalid(data.card) { throw .invalidData(tag) }
        observe?(.recordsRead(count: count, authenticatedBytes: authentication.staticData.count))
    }

    /// Stores the card's data objects of a record. The content of files 11 to 30 is defined by the
    /// payment system or the issuer, not by EMV (7.1): it is used only for data authentication.
    private mutating func take(_ record: [UInt8], sfi: UInt8, isAuthenticated: Bool) throws(Termination) {
        if isAuthenticated { authentication.staticData.append(record: record, sfi: sfi) }
        guard sfi <= 10 else { return }
        guard let place = Template.place(in: record, tag: .recordTemplate) else {
            throw .malformedAnswer(.readRecord, nil)
        }
        let repeated: [Tag]
        do throws(TLVError) {
            repeated = try data.card.append(parsing: record.span.extracting(place), where: CardDataObjects.isOfRecord)
        } catch {
            throw .malformedAnswer(.readRecord, error)
        }
        if let twice = repeated.first { throw .repeatedData(twice) }
    }
}

extension ApplicationFileLocator {
    /// The locator in the card's data objects; nil if it is absent or invalid.
    init?(_ card: DataElements) {
        guard let locator = card.withValue(of: .applicationFileLocator, { Self($0) }) ?? nil else { return nil }
        self = locator
    }
}
