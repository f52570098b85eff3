internal import Bytes
internal import PaymentTerminal

/// The rows of an inventory, one after the other.
struct InventoryRows {
    struct Columns {
        let text: Int
        let price: Int
        let id: Int
        let photo: Int?
        /// Of the first row.
        let count: Int
    }

    let currency: Currency
    private(set) var columns: Columns?
    private(set) var items: [Inventory.Item] = []
    private(set) var formulas: [CSVPlace] = []
    private var ids: Set<String> = []

    init(currency: Currency) { self.currency = currency }

    mutating func take(_ row: CSVRow) throws(InventoryError) {
        guard let columns else {
            self.columns = try Self.columns(of: row)
            return
        }
        guard row.fields.count >= columns.count else { throw .item(.short, at: row.fields[0].place) }
        let (text, id) = (row.fields[columns.text], row.fields[columns.id])
        guard Self.isShown(text.text), !text.text.isEmpty else { throw .item(.text, at: text.place) }
        guard !id.text.isEmpty, id.text.utf8.count <= Inventory.textLimit,
            id.text.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
        else { throw .item(.id, at: id.place) }
        guard ids.insert(id.text).inserted else { throw .item(.doubledID, at: id.place) }
        let photo = columns.photo.map { row.fields[$0] }
        if let photo { guard Self.isShown(photo.text) else { throw .item(.text, at: photo.place) } }
        let price: Money
        do { price = try Money(parsing: row.fields[columns.price].text, in: currency) } catch {
            throw .item(.price(error), at: row.fields[columns.price].place)
        }
        formulas += [text, id, photo].compactMap { $0 }.filter { Self.isFormula($0.text) }.map(\.place)
        items.append(
            Inventory.Item(
                id: id.text, text: text.text, price: price, photo: photo.flatMap { $0.text.isEmpty ? nil : $0.text }))
    }

    private static func columns(of row: CSVRow) throws(InventoryError) -> Columns {
        let names = row.fields.map { $0.text.lowercased() }
        for name in ["text", "price", "id", "photo"] where names.count(where: { $0 == name }) > 1 { throw .noColumns }
        guard let text = names.firstIndex(of: "text"), let price = names.firstIndex(of: "price"),
            let id = names.firstIndex(of: "id")
        else { throw .noColumns }
        return Columns(text: text, price: price, id: id, photo: names.firstIndex(of: "photo"), count: names.count)
    }

    /// A text over several lines is one of them; no other control character is.
    private static func isShown(_ text: String) -> Bool {
        text.utf8.count <= Inventory.textLimit && text.utf8.allSatisfy { $0 != 0x0B && $0 != 0x0C }
            && !text.filter { !$0.isNewline }.hasSteeringCharacters
    }

    private static func isFormula(_ text: String) -> Bool {
        text.utf8.first.map { "=+-@".utf8.contains($0) } ?? false
    }
}
