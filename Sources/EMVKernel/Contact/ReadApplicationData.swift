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

    /// Keeps what a record holds, and what of it is to be authenticated (EMV 4.4 Book 3, 10.3): of files 1 to 10 the value of template 70, of the
    /// others the record whole.
    private mutating func take(_ record: [UInt8], sfi: UInt8, isAuthenticated: Bool) throws(Termination) {
        guard let contents = Template.contents(of: record, tag: .recordTemplate) else {
            if sfi <= 10 { throw .malformedAnswer(.readRecord, nil) }
            if isAuthenticated { authentication.hasUnusableRecord = true }
            return
        }
        if isAuthenticated { authentication.staticData += sfi <= 10 ? contents : record }
        let repeated: [Tag]
        do throws(TLVError) {
            repeated = try data.card.append(parsing: contents)
        } catch {
            throw .malformedAnswer(.readRecord, error)
        }
        if let twice = repeated.first { throw .repeatedData(twice) }
    }
}
