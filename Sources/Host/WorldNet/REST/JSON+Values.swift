import Bytes
public import CardCapture
import JSONDocument
import PaymentTerminal

extension JSON {
    static func money(_ money: Money) -> JSON { .number(money.decimal) }

    /// An amount written as a JSON number, which may leave out zeros at its end. Nil for any other.
    func money(in currency: Currency) -> Money? {
        guard case .number(let digits) = self else { return nil }
        let parts = digits.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        var decimals = parts.count == 2 ? String(parts[1]) : ""
        while decimals.utf8.count > Int(currency.exponent), decimals.hasSuffix("0") { decimals.removeLast() }
        decimals += String(repeating: "0", count: max(0, Int(currency.exponent) - decimals.utf8.count))
        return try? Money(parsing: decimals.isEmpty ? String(parts[0]) : "\(parts[0]).\(decimals)", in: currency)
    }

    /// An amount with the sign of a refund, which the gateway writes as a negative number.
    func money(in currency: Currency, isRefund: Bool) -> Money? {
        guard isRefund, case .number(let digits) = self, digits.hasPrefix("-") else { return money(in: currency) }
        return JSON.number(String(digits.dropFirst())).money(in: currency)
    }

    /// What `read` makes of the member; nil only if it is not there, or null.
    ///
    /// - Parameter error: For a member that is there and cannot be read: it must never count as one
    ///   that is not.
    func optional<Value>(_ name: String, _ read: (JSON) -> Value?, else error: HostError) throws(HostError) -> Value? {
        guard let member = self[name] else { return nil }
        guard let value = read(member) else { throw error }
        return value
    }

    /// As ``optional(_:_:else:)`` for a member of an answer.
    func stated<Value>(_ name: String, _ read: (JSON) -> Value?) throws(HostError) -> Value? {
        try optional(name, read, else: .answerNotUnderstood)
    }

    /// As ``optional(_:_:else:)`` for a member of a request.
    func requested<Value>(_ name: String, _ read: (JSON) -> Value?) throws(HostError) -> Value? {
        try optional(name, read, else: .invalidField(name))
    }

    /// A text that is a moment (ISO 8601).
    var timestamp: Timestamp? { text.flatMap { ISODate.timestamp($0) } }

    var currency: Currency? { text.flatMap { Currency(code: $0) } }

    /// Whether it is an object, also an empty one.
    var object: JSON? { if case .object = self { self } else { nil } }

    static func text(_ timestamp: Timestamp) -> JSON { .text(ISODate.text(timestamp)) }

    static func fields(_ fields: [CustomField]) -> JSON? {
        fields.isEmpty ? nil : .list(fields.map { .object(["name": .text($0.name), "value": .text($0.value)]) })
    }

    var customFields: [CustomField] {
        (list ?? []).map { CustomField(name: $0["name"]?.text ?? "", value: $0["value"]?.text ?? "") }
    }

    /// As ``reference(_:)`` in an answer.
    func answeredReference<Name: Reference>(_ name: String) throws(HostError) -> Name {
        do throws(HostError) { return try reference(name) } catch { throw .answerNotUnderstood }
    }

    /// In a request.
    func reference<Name: Reference>(_ name: String) throws(HostError) -> Name {
        do throws(ReferenceError) {
            return try Name(self[name]?.text ?? "")
        } catch {
            throw .invalidField(name)
        }
    }
}

/// Date and time with the offset of the time zone (ISO 8601): `2022-09-05T11:08:59-04:00`.
public enum ISODate {
    public static func text(_ timestamp: Timestamp) -> String {
        let moment = CivilTime(timestamp.secondsSince1970.saturatingAdding(Int64(timestamp.utcOffset)))
        let pad = { GatewayDate.padded($0, 2) }
        let offset = Int(clamping: timestamp.utcOffset.magnitude) / 60
        return
            "\(GatewayDate.padded(moment.year, 4))-\(pad(moment.month))-\(pad(moment.day))T\(pad(moment.hour)):\(pad(moment.minute))"
            + ":\(pad(moment.second))\(timestamp.utcOffset < 0 ? "-" : "+")\(pad(offset / 60)):\(pad(offset % 60))"
    }

    /// Ignores fractions of a second. A missing offset counts as zero. Nil if the text is not a
    /// timestamp.
    public static func timestamp(_ text: String) -> Timestamp? {
        let characters = Array(text.utf8)
        guard characters.count >= 19, characters[10] == UInt8(ascii: "T") else { return nil }
        let number = { (range: Range<Int>) -> Int? in
            let digits = characters[range]
            guard digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
            return Int(String(decoding: digits, as: UTF8.self))
        }
        guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10), let hour = number(11..<13),
            let minute = number(14..<16), let second = number(17..<19),
            [4, 7].allSatisfy({ characters[$0] == UInt8(ascii: "-") }),
            [13, 16].allSatisfy({ characters[$0] == UInt8(ascii: ":") }),
            let moment = CivilTime(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
        else { return nil }
        var rest = characters[19...]
        if rest.first == UInt8(ascii: ".") { rest = rest.dropFirst().drop { (0x30...0x39).contains($0) } }
        if rest.isEmpty || rest.elementsEqual("Z".utf8) { return Timestamp(secondsSince1970: moment.seconds) }
        let start = rest.startIndex
        guard rest.count == 6, let sign = rest.first, [UInt8(ascii: "+"), UInt8(ascii: "-")].contains(sign),
            // ordered: the rest has six characters
            rest[start + 3] == UInt8(ascii: ":"), let hours = number(start + 1..<start + 3),
            // ordered: the same
            let minutes = number(start + 4..<start + 6), hours < 24, minutes < 60
        else { return nil }
        let offset = (hours * 60 + minutes) * (sign == UInt8(ascii: "-") ? -60 : 60)
        return Timestamp(secondsSince1970: moment.seconds - Int64(offset), utcOffset: offset)
    }
}
