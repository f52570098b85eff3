package import EMVKernel
package import SmartCard
package import TLV

/// Reads the records of an AFL, one READ RECORD after the other (EMV 4.4 Book 3, 10.2).
package struct RecordReading: Sendable {
    private struct Place {
        let sfi: UInt8
        let record: UInt8
        let isAuthenticated: Bool
    }

    private let kernel: Int
    private let places: [Place]
    private var position = 0
    /// The content of the records marked in the AFL, for data authentication.
    package private(set) var staticData = StaticData()

    /// - Parameters:
    ///   - locator: Tag `94`. It may be empty.
    ///   - kernel: The kernel whose dictionary says which data objects a record may have.
    package init(_ locator: [UInt8], kernel: Int) throws(Termination) {
        self.kernel = kernel
        guard !locator.isEmpty else {
            places = []
            return
        }
        guard let entries = ApplicationFileLocator(locator)?.entries else {
            throw .invalidData(.applicationFileLocator)
        }
        guard entries.reduce(0, { $0 + $1.records.count }) <= ContactKernel.maximumRecords else {
            throw .tooManyRecords
        }
        places = entries.flatMap { entry in
            entry.records.map { record in
                Place(
                    sfi: entry.sfi, record: record,
                    isAuthenticated: record - entry.records.lowerBound < entry.authenticatedCount)
            }
        }
    }

    /// The next command; nil when all records are read.
    package var command: CommandAPDU? {
        guard position < places.count else { return nil }
        return .readRecord(places[position].record, sfi: places[position].sfi)
    }

    /// Whether the record that ``command`` reads is to be authenticated.
    package var isAuthenticated: Bool { position < places.count && places[position].isAuthenticated }

    /// Processes the answer to ``command``: stores the card's data objects of files 1 to 10 in
    /// `card`.
    package mutating func take(_ answer: ResponseAPDU, into card: inout DataElements) throws(Termination) {
        guard answer.status == .success else { throw .commandFailed(.readRecord, answer.status) }
        let place = places[position]
        position += 1
        if place.isAuthenticated { staticData.append(record: answer.data, sfi: place.sfi) }
        guard place.sfi <= 10 else { return }
        guard let contents = Template.place(in: answer.data, tag: .recordTemplate) else {
            throw .malformedAnswer(.readRecord, nil)
        }
        let repeated: [Tag]
        do throws(TLVError) {
            repeated = try card.append(parsing: answer.data.span.extracting(contents)) {
                CardObjects.isOfRecord($0, kernel: kernel)
            }
        } catch {
            throw .malformedAnswer(.readRecord, error)
        }
        if let twice = repeated.first { throw .repeatedData(twice) }
    }
}

/// Which data objects a card may return to a contactless kernel, and where.
package enum CardObjects {
    /// Whether a record's data object is used: it must be known to the kernel, have the card as its
    /// source, be directly in the record, and not be empty. Others are ignored, so that a record
    /// cannot replace an amount or a result of the terminal.
    package static func isOfRecord(_ node: TLVNode, kernel: Int) -> Bool {
        node.depth == 0 && !node.value.isEmpty && !node.tag.isConstructed && isCards(node.tag, kernel: kernel)
            && !CardDataObjects.notInRecords.contains(node.tag)
    }

    /// Whether a data object in the answer to GET PROCESSING OPTIONS is used: others than the
    /// card's, and those that are valid only in the answer to SELECT, are ignored.
    package static func isOfOptions(_ tag: Tag, kernel: Int) -> Bool {
        isCards(tag, kernel: kernel) && !selectionOnly.contains(tag)
    }

    private static let selectionOnly: Set<Tag> = [
        .dfName, .pdol, .applicationPriorityIndicator, .applicationProgramIdentifier, .adfName, .logEntry,
    ]

    /// Whether `tag` is a data object of the card for `kernel`.
    package static func isCards(_ tag: Tag, kernel: Int) -> Bool {
        TagDictionary.definition(tag, kernel: kernel)?.source == .card
    }
}
