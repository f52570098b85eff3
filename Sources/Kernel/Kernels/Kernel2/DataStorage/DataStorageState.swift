import CardCryptography
import EMVKernel
import TLV

/// The state of data storage in one tap.
struct DataStorageState {
    /// IDS status, tag `DF8128`.
    struct Status: OptionSet {
        let rawValue: UInt8

        static let read = Self(rawValue: 0x80)
        static let write = Self(rawValue: 0x40)
    }

    /// DS summary status, tag `DF810B`.
    struct SummaryStatus: OptionSet {
        let rawValue: UInt8

        static let successfulRead = Self(rawValue: 0x80)
        static let successfulWrite = Self(rawValue: 0x40)
    }

    /// Nil for a terminal without data storage.
    let request: Kernel2Configuration.DataStorage?
    var status: Status = []
    var summaryStatus: SummaryStatus = []
    /// The tags that GET DATA has yet to read.
    var tagsToReadYet: [Tag]
    /// What GET DATA has returned; empty values for what was not readable.
    var read = DataElements()
    var writes = Kernel2Configuration.DataStorage.Writes()
    /// Pre- and post-GENERATE AC PUT DATA status, tags `DF810F` and `DF810E`: whether all envelopes
    /// were written.
    var hasWrittenBefore = false
    var hasWrittenAfter = false

    init(_ request: Kernel2Configuration.DataStorage?) {
        self.request = request
        tagsToReadYet = request?.tagsToRead.filter(Self.isReadable) ?? []
    }

    /// Whether GET DATA reads `tag`.
    static func isReadable(_ tag: Tag) -> Bool {
        tag == 0x9F50 || Kernel2Configuration.DataStorage.EnvelopeWrite.tags.contains(tag.rawValue)
    }

    /// Byte 1 of the application capabilities `9F5D`; nil for a card without integrated data
    /// storage.
    static func version(_ capabilities: [UInt8]?) -> DataStorageDigest? {
        guard let capabilities, capabilities.count == 3 else { return nil }
        return switch capabilities[0] & 0x0F {
        case 1: .version1
        case 2: .version2
        default: nil
        }
    }

    /// The data objects in the answer to GET PROCESSING OPTIONS (S3R1.11).
    static let optionsTags: [Tag] = [
        .slotAvailability, .storageSummary1, .storageUnpredictableNumber, .slotManagement, .storageCardData,
    ]
}

extension DataStorageDigest {
    /// The length of a summary in bytes.
    var summaryLength: Int {
        switch self {
        case .version1: 8
        case .version2: 16
        }
    }
}

extension DOL {
    /// The values of DSDOL (EMV Contactless Book C-2, 4.1.4): as for other lists, but the last
    /// value is not padded.
    func concatenateUnpadded(_ data: TransactionData) -> [UInt8] {
        guard let last = entries.last, let value = data[last.tag], (1..<max(1, last.length)).contains(value.count)
        else {
            return concatenate(data)
        }
        return DOL(entries: entries.dropLast()).concatenate(data) + value
    }
}
