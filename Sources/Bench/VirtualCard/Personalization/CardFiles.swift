internal import TLV

/// The application elementary files: records by short file identifier, and their locator (EMV 4.4
/// Book 3, 5.3 and 10.2).
struct CardFiles: Sendable {
    /// Each complete record, in template `70`.
    let records: [UInt8: [[UInt8]]]
    let locator: ApplicationFileLocator

    /// - Parameter values: The card's data objects.
    init(_ layout: CardFileLayout, _ values: [Tag: [UInt8]]) throws(CardFileLayout.Problem) {
        var records: [UInt8: [[UInt8]]] = [:]
        var entries: [ApplicationFileLocator.Entry] = []
        for file in layout.files {
            let first = (records[file.sfi]?.count ?? 0) + 1
            for tags in file.records {
                let record = Self.record(tags, values)
                // The longest data field of an answer (ISO/IEC 7816-4, 5.1).
                guard record.count <= 256 else {
                    throw .recordLength(sfi: file.sfi, number: (records[file.sfi]?.count ?? 0) + 1)
                }
                records[file.sfi, default: []].append(record)
            }
            entries.append(
                ApplicationFileLocator.Entry(
                    // fits: a layout that is valid has at most 255 records in a file
                    sfi: file.sfi, UInt8(first)...UInt8(first + file.records.count - 1),
                    // fits: a part of these
                    authenticated: UInt8(file.authenticatedCount)))
        }
        self.records = records
        locator = ApplicationFileLocator(entries)
    }

    /// The data of the signed records of `layout`: from files 1 to 10 the contents of template
    /// `70`, from other files the whole record (EMV 4.4 Book 3, 10.3).
    static func authenticatedRecords(_ layout: CardFileLayout, _ values: [Tag: [UInt8]]) -> [UInt8] {
        layout.files.flatMap { file in
            file.records.prefix(file.authenticatedCount).flatMap { tags in
                file.sfi <= 10 ? contents(tags, values) : record(tags, values)
            }
        }
    }

    private static func record(_ tags: [Tag], _ values: [Tag: [UInt8]]) -> [UInt8] {
        tlv(.recordTemplate, contents(tags, values))
    }

    private static func contents(_ tags: [Tag], _ values: [Tag: [UInt8]]) -> [UInt8] {
        var builder = TLVBuilder()
        for tag in tags {
            if let value = values[tag], !value.isEmpty { builder.append(tag, value) }
        }
        return builder.bytes
    }
}
