public import JSONDocument
import PaymentTerminal

extension Basket {
    /// In bytes, of a document: 10,000 items with long notes.
    public static let maximumDocument = 16 << 20

    /// As ``init(parsing:)`` reads it, version 1: amounts as texts (`"2.50"`), rates and places as
    /// whole numbers.
    public var json: JSON {
        func decimal(_ minorUnits: Int64) -> JSON {
            .text(Money(minorUnits: minorUnits, currency: currency).decimal)
        }
        return .object([
            "version": .number(1), "currency": .text(currency.code), "prices": .text(prices.rawValue),
            "taxes": .list(taxes.map { .object(["name": .text($0.name), "rate": .number($0.hundredths)]) }),
            "items": .list(
                items.map {
                    .object([
                        "type": .text($0.kind.rawValue), "note": .text($0.note), "quantity": .number($0.quantity),
                        "price": decimal($0.price), "taxRate": .number($0.taxRate),
                    ])
                }),
            "discount": discount > 0 ? decimal(discount) : nil,
            "place": place.map {
                .object(["latitude": .number($0.latitude), "longitude": .number($0.longitude)])
            },
            "note": note.map { .text($0) },
        ])
    }

    /// Reads ``json`` strictly: a key that is not known, another version and a number that is out of
    /// range are refused, with their places.
    public init(parsing document: [UInt8]) throws(DocumentError) {
        self = try Place.document(document, maximumSize: Self.maximumDocument) { place throws(DocumentError) in
            try Basket(place)
        }
    }

    init(_ document: Place) throws(DocumentError) {
        let members = try document.members([
            "version", "currency", "prices", "taxes", "items", "discount", "place", "note",
        ])
        try members.requireVersion()
        let code = try members.required("currency")
        guard let currency = Currency(code: try code.text()) else { throw code.wrong(BasketFault.currency) }
        let prices = try members.required("prices").choice(Prices.allCases.map { ($0.rawValue, $0) })
        let taxes = try members.required("taxes")
        let rates = try taxes.list { tax throws(DocumentError) in
            let members = try tax.members(["name", "rate"])
            let name = try members.required("name").text()
            let rate: Int = try members.required("rate").number(0...TaxRate.maximum)
            return try tax.checked { () throws(BasketError) in try TaxRate(name, hundredths: rate) }
        }
        var basket = try taxes.checked { () throws(BasketError) in
            try Basket(currency: currency, prices: prices, taxes: rates)
        }
        for place in try members.required("items").list() {
            let item = try place.item(in: currency)
            try place.checked { () throws(BasketError) in try basket.add(item) }
        }
        if let place = members["discount"] {
            let discount = try place.minorUnits(in: currency)
            try place.checked { () throws(BasketError) in try basket.setDiscount(discount) }
        }
        if let place = members["place"] { basket.place = try place.point() }
        if let place = members["note"] {
            let note = try place.text()
            try place.checked { () throws(BasketError) in try basket.setNote(note) }
        }
        self = basket
    }
}

extension Members {
    /// - Throws: An error unless the document is of version 1.
    func requireVersion() throws(DocumentError) {
        let place = try required("version")
        let version: Int = try place.number(0...Int.max)
        guard version == 1 else { throw place.wrong(BasketFault.version) }
    }
}

extension Place {
    func checked<Value>(_ make: () throws(BasketError) -> Value) throws(DocumentError) -> Value {
        do throws(BasketError) {
            return try make()
        } catch {
            throw wrong(BasketFault.basket(error))
        }
    }

    fileprivate func minorUnits(in currency: Currency) throws(DocumentError) -> Int64 {
        let text = try text()
        do throws(MoneyError) {
            return try Money(parsing: text, in: currency).minorUnits
        } catch {
            throw wrong(text.hasPrefix("-") ? BasketFault.basket(.negativePrice) : BasketFault.amount(error))
        }
    }

    fileprivate func item(in currency: Currency) throws(DocumentError) -> BasketItem {
        let members = try members(["type", "note", "quantity", "price", "taxRate"])
        let kind = try members.required("type").choice(BasketItem.Kind.allCases.map { ($0.rawValue, $0) })
        let note = try members.required("note").text()
        let quantity: Int = try members.required("quantity").number(1...BasketItem.maximumQuantity)
        let price = try members.required("price").minorUnits(in: currency)
        let rate: Int = try members.required("taxRate").number(0...TaxRate.maximum)
        return try checked { () throws(BasketError) in
            try BasketItem(note, kind: kind, quantity: quantity, price: price, taxRate: rate)
        }
    }

    fileprivate func point() throws(DocumentError) -> GeographicPoint {
        let members = try members(["latitude", "longitude"])
        let latitude = try members.required("latitude").number(GeographicPoint.latitudes)
        let longitude = try members.required("longitude").number(GeographicPoint.longitudes)
        guard let point = GeographicPoint(latitude: latitude, longitude: longitude) else {
            throw wrong(BasketFault.place)
        }
        return point
    }
}

/// Why a value of a basket's document is refused, beside ``JSONDocument/ValueFault``.
enum BasketFault: DocumentError.Reason {
    case version
    case currency
    case amount(MoneyError)
    case place
    case order
    case basket(BasketError)

    var description: String {
        switch self {
        case .version: "this release reads version 1"
        case .currency: "\(MoneyError.unknownCurrency)"
        case .amount(let error): "\(error)"
        case .place: "a latitude and a longitude, in millionths of a degree"
        case .order: "an order id has 1 to 24 printable characters, and is no card number"
        case .basket(let error): "\(error)"
        }
    }
}
