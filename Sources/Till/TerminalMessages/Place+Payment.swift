import JSONDocument
import PaymentTerminal

extension Place {
    /// A member of this object; the other members are looked at later.
    func member(_ key: String) throws(DocumentError) -> Place {
        guard let place = try members().first(where: { $0.key == key })?.value else {
            throw DocumentError(key, ValueFault.missing)
        }
        return place
    }

    private func checked<Value>(_ make: (String) throws(ReferenceError) -> Value) throws(DocumentError) -> Value {
        let text = try text()
        do throws(ReferenceError) {
            return try make(text)
        } catch {
            throw wrong(MessageFault.reference(error))
        }
    }

    func order() throws(DocumentError) -> OrderID { try checked(OrderID.init(_:)) }
    func key() throws(DocumentError) -> IdempotencyKey { try checked(IdempotencyKey.init(_:)) }
    func merchantReference() throws(DocumentError) -> MerchantReference { try checked(MerchantReference.init(_:)) }
    func externalID() throws(DocumentError) -> ExternalID { try checked(ExternalID.init(_:)) }
    func descriptor() throws(DocumentError) -> StatementDescriptor { try checked(StatementDescriptor.init(_:)) }

    /// - Parameter length: In characters.
    func line(_ length: ClosedRange<Int>) throws(DocumentError) -> String {
        _ = try text(length)
        return try line()
    }

    /// A reference of the host, as it has told it.
    func reference() throws(DocumentError) -> String { try line(1...100) }

    func amount(in currency: Currency) throws(DocumentError) -> Money {
        let text = try text()
        do throws(MoneyError) {
            return try Money(parsing: text, in: currency)
        } catch {
            throw wrong(MessageFault.amount(error))
        }
    }

    func raw<Value: RawRepresentable<String> & CaseIterable>() throws(DocumentError) -> Value {
        try choice(Value.allCases.map { ($0.rawValue, $0) })
    }

    func signature() throws(DocumentError) -> Signature {
        let strokes = try list { stroke throws(DocumentError) in
            try stroke.list { point throws(DocumentError) in
                let numbers: [Int] = try point.list { place throws(DocumentError) in
                    try place.number(0...max(Signature.width, Signature.height))
                }
                guard numbers.count == 2 else { throw point.wrong(MessageFault.signature) }
                return Signature.Point(x: numbers[0], y: numbers[1])
            }
        }
        guard let signature = Signature(strokes: strokes) else { throw wrong(MessageFault.signature) }
        return signature
    }
}

extension Members {
    func optional<Value>(_ key: String, _ read: Place.Reader<Value>) throws(DocumentError) -> Value? {
        guard let place = self[key] else { return nil }
        return try read(place)
    }

    func line(_ key: String) throws(DocumentError) -> String? {
        try optional(key) { place throws(DocumentError) in try place.line() }
    }

    /// False if the key is not there.
    func flag(_ key: String) throws(DocumentError) -> Bool {
        try optional(key) { place throws(DocumentError) in try place.flag() } ?? false
    }

    func choices<Value: RawRepresentable<String> & CaseIterable>(_ key: String) throws(DocumentError) -> [Value] {
        try optional(key) { place throws(DocumentError) in
            try place.list { element throws(DocumentError) in try element.raw() }
        } ?? []
    }

    func currency() throws(DocumentError) -> Currency {
        let place = try required("currency")
        guard let currency = Currency(code: try place.text()) else { throw place.wrong(MessageFault.currency) }
        return currency
    }

    func amount() throws(DocumentError) -> Money {
        try required("amount").amount(in: currency())
    }

    func key() throws(DocumentError) -> IdempotencyKey? {
        try optional("key") { place throws(DocumentError) in try place.key() }
    }

    func merchantReference() throws(DocumentError) -> MerchantReference {
        try required("merchantReference").merchantReference()
    }

    func token() throws(DocumentError) -> SecureCardReference? {
        try optional("token") { place throws(DocumentError) in SecureCardReference(try place.reference()) }
    }

    func customFields() throws(DocumentError) -> [CustomField] {
        try optional("customFields") { place throws(DocumentError) in
            try place.list { field throws(DocumentError) in
                let members = try field.members(["name", "value"])
                return CustomField(
                    name: try members.required("name").line(), value: try members.required("value").line())
            }
        } ?? []
    }
}
