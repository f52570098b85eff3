private import CardCapture
public import JSONDocument
import PaymentTerminal

extension CashPayment {
    /// As ``init(parsing:)`` reads it, version 1.
    public var json: JSON {
        .object([
            "version": .number(1), "order": .text(orderID.text), "holder": holder.map { .text($0) },
            "secondsSince1970": .number(timestamp.secondsSince1970), "utcOffset": .number(timestamp.utcOffset),
            "basket": basket.json,
        ])
    }

    /// Reads ``json`` strictly, with the place of each fault.
    public init(parsing document: [UInt8]) throws(DocumentError) {
        self = try Place.document(document, maximumSize: Basket.maximumDocument) { place throws(DocumentError) in
            let members = try place.members([
                "version", "order", "holder", "secondsSince1970", "utcOffset", "basket",
            ])
            try members.requireVersion()
            let order = try members.required("order")
            let text = try order.text()
            guard let orderID = try? OrderID(text) else { throw order.wrong(BasketFault.order) }
            let holder = try members["holder"]?.text()
            let seconds: Int64 = try members.required("secondsSince1970").number(0...253_402_300_799)
            let offset: Int = try members.required("utcOffset").number(-86_400...86_400)
            let basket = try Basket(members.required("basket"))
            return try place.checked { () throws(BasketError) in
                try CashPayment(
                    orderID: orderID, holder: holder, basket: basket,
                    timestamp: Timestamp(secondsSince1970: seconds, utcOffset: offset))
            }
        }
    }
}
