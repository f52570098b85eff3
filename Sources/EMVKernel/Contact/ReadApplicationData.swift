import SmartCard
import TLV

/// Read application data (EMV 4.4 Book 3, 10.2).
extension ContactTransaction {
    mutating func readApplicationData(_ application: ApplicationConfiguration) async throws(Termination) {
        guard let bytes = data.card[.applicationFileLocator], let locator = ApplicationFileLocator(bytes) else {
            throw .invalidData(.applicationFileLocator)
        }
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
        observe?(.recordsRead(count: count, authenticatedBytes: authentication.staticData.count))
    }

    /// Keeps what a record holds. Files 11 to 30 are the payment system's or the issuer's and need not be in template 70.
    private mutating func take(_ record: [UInt8], sfi: UInt8, isAuthenticated: Bool) throws(Termination) {
        if isAuthenticated { authentication.staticData.append(record: record, sfi: sfi) }
        guard let contents = Template.contents(of: record, tag: .recordTemplate) else {
            if sfi <= 10 { throw .malformedAnswer(.readRecord, nil) }
            return
        }
        let repeated: [Tag]
        do throws(TLVError) {
            repeated = try data.card.append(parsing: contents)
        } catch {
            throw .malformedAnswer(.readRecord, error)
        }
        if let twice = repeated.first { throw .repeatedData(twice) }
    }
}
