public import CardCapture
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

    /// A member that may be absent or `null`, read by `value`.
    ///
    /// - Throws: ``HostError/Failure/answerNotGenuine`` if it is there and cannot be read: it must not
    ///   count as absent.
    func read<Value>(_ name: String, _ value: (JSON) -> Value?) throws(HostError) -> Value? {
        guard let member = self[name], member != .null else { return nil }
        guard let value = value(member) else { throw .answerNotUnderstood }
        return value
    }

    /// A number without its sign: the gateway writes refunds as negative amounts.
    var absolute: JSON {
        if case .number(let digits) = self, digits.hasPrefix("-") { .number(String(digits.dropFirst())) } else { self }
    }

    static func text(_ timestamp: Timestamp) -> JSON { .text(ISODate.text(timestamp)) }

    static func fields(_ fields: [CustomField]) -> JSON? {
        fields.isEmpty ? nil : .list(fields.map { .object(["name": .text($0.name), "value": .text($0.value)]) })
    }

    var customFields: [CustomField] {
        (list ?? []).map { CustomField(name: $0["name"]?.text ?? "", value: $0["value"]?.text ?? "") }
    }

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
        let moment = CivilTime(timestamp.secondsSince1970 + Int64(timestamp.utcOffset))
        let pad = { GatewayDate.padded($0, 2) }
        let offset = abs(timestamp.utcOffset) / 60
        return "\(GatewayDate.padded(moment.year, 4))-\(pad(moment.month))-\(pad(moment.day))T\(pad(moment.hour)):\(pad(moment.minute))"
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
            [4, 7].allSatisfy({ characters[$0] == UInt8(ascii: "-") }), [13, 16].allSatisfy({ characters[$0] == UInt8(ascii: ":") }),
            let moment = CivilTime(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
        else { return nil }
        var rest = characters[19...]
        if rest.first == UInt8(ascii: ".") { rest = rest.dropFirst().drop { (0x30...0x39).contains($0) } }
        if rest.isEmpty || rest.elementsEqual("Z".utf8) { return Timestamp(secondsSince1970: moment.seconds) }
        let start = rest.startIndex
        guard rest.count == 6, let sign = rest.first, [UInt8(ascii: "+"), UInt8(ascii: "-")].contains(sign),
            // ordered: constants behind the start
            rest[start + 3] == UInt8(ascii: ":"), let hours = number(start + 1..<start + 3), let minutes = number(start + 4..<start + 6),
            hours < 24, minutes < 60
        else { return nil }
        let offset = (hours * 60 + minutes) * (sign == UInt8(ascii: "-") ? -60 : 60)
        return Timestamp(secondsSince1970: moment.seconds - Int64(offset), utcOffset: offset)
    }
}
