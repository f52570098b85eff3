internal import Bytes
public import PaymentTerminal

/// What a merchant sells, from a CSV document.
///
/// The first row names the columns, in any order and case: `text`, `price`, `id`, and if there are
/// any `photo`; others are ignored. Accept's texts say what the columns have, not what they are
/// called: the names are ours.
public struct Inventory: Sendable, Equatable {
    public let items: [Item]
    /// Where a text begins with `=`, `+`, `-` or `@`: a spreadsheet that opens the document may
    /// compute it (OWASP, *CSV Injection*). Here it is a text like any other.
    public let formulas: [CSVPlace]

    public struct Item: Sendable, Equatable {
        /// Unique in the inventory.
        public let id: String
        public let text: String
        public let price: Money
        /// Where the picture is, as the document has it; nil if there is none.
        public let photo: String?
    }

    /// In bytes.
    public static let textLimit = 255

    /// - Parameters:
    ///   - pieces: The document, in pieces of any size. After an error no more of them are taken.
    ///   - currency: Of the prices, which are written as `12.34`.
    public init(
        csv pieces: some Sequence<[UInt8]>, separator: CSVReader.Separator = .comma, currency: Currency
    ) throws(InventoryError) {
        var reader = CSVReader(separator)
        var rows = InventoryRows(currency: currency)
        for piece in pieces {
            for row in try Self.csv({ () throws(CSVError) in try reader.append(piece) }) { try rows.take(row) }
        }
        for row in try Self.csv({ () throws(CSVError) in try reader.finish() }) { try rows.take(row) }
        guard rows.columns != nil else { throw .noColumns }
        items = rows.items
        formulas = rows.formulas
    }

    private static func csv(_ read: () throws(CSVError) -> [CSVRow]) throws(InventoryError) -> [CSVRow] {
        do { return try read() } catch { throw .csv(error) }
    }
}

/// Why a document is no inventory, and where.
public enum InventoryError: Error, Sendable, Equatable {
    case csv(CSVError)
    /// The first row lacks `text`, `price` or `id`, or has one of the four twice.
    case noColumns
    case item(Fault, at: CSVPlace)

    public enum Fault: Sendable, Equatable {
        /// The row has fewer fields than the first one.
        case short
        /// Empty, too long, or with control characters.
        case text
        /// Empty, too long, or not printable ASCII.
        case id
        /// Another item has it.
        case doubledID
        case price(MoneyError)
    }
}

extension InventoryError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .csv(let error): error.description
        case .noColumns: "line 1: name the columns text, price, id and photo, each once"
        case .item(let fault, let place): "\(place): \(fault)"
        }
    }
}

extension InventoryError.Fault: CustomStringConvertible {
    public var description: String {
        switch self {
        case .short: "the row has fewer fields than the first one"
        case .text: "the text is empty, exceeds \(Inventory.textLimit) bytes, or has control characters"
        case .id: "the id is empty, exceeds \(Inventory.textLimit) bytes, or is not printable ASCII"
        case .doubledID: "another item has this id"
        case .price(let error): error.description
        }
    }
}
