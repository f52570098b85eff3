internal import Bytes
internal import CardCapture
public import FormDocument
internal import PaymentTerminal

extension CallbackFields {
    /// The callback of a body. More fields than the 18 are ignored: a back office may add some.
    public init(parsing body: [UInt8]) throws(CallbackError) {
        let form: FormFields
        do { form = try FormFields(parsing: body) } catch { throw .form(error) }
        for name in Self.names where form[name] == nil { throw .missing(name) }
        let value = { (name: String) in form[name] ?? "" }
        for name in Self.names {
            guard value(name).utf8.count <= TransactionRow.textLimit, !value(name).hasSteeringCharacters else {
                throw .invalid(name)
            }
        }
        guard let currency = Currency(code: value("currency")) else { throw .invalid("currency") }
        guard let amount = Int64(value("amount")) else { throw .invalid("amount") }
        guard let moment = Self.moment(value("created_at")) else { throw .invalid("created_at") }
        guard let state = TransactionState(rawValue: value("state")) else { throw .invalid("state") }
        do {
            row = try TransactionRow(
                id: value("unique_id"), amount: Money(minorUnits: amount, currency: currency),
                createdAt: Timestamp(secondsSince1970: moment), state: state, customer: value("card_holder"),
                maskedCardNumber: value("card_number"), cardBrand: value("card_brand"))
        } catch {
            switch error {
            case .id, .text: throw .invalid("unique_id")
            case .cardNumber: throw .invalid("card_number")
            case .date: throw .invalid("created_at")
            }
        }
        guwid = value("guwid")
        merchantID = value("merchant_id")
        userID = value("user_id")
        terminalID = value("terminal_id")
        terminalSerialNumber = value("terminal_sn")
        merchantName = value("merchant_name")
        errorCode = value("error_code")
        errorMessage = value("error_message")
        aidLabel = value("aid_label")
        aid = value("aid")
    }

    static func text(of moment: Timestamp) -> String {
        let time = CivilTime(moment.secondsSince1970)
        let date = [digits(time.year, 4), digits(time.month, 2), digits(time.day, 2)].joined(separator: "-")
        return date + "T" + [time.hour, time.minute, time.second].map { digits($0, 2) }.joined(separator: ":") + "Z"
    }

    /// Seconds since 1970; nil unless it is a text of ``text(of:)``.
    private static func moment(_ text: String) -> Int64? {
        let parts = text.utf8.split { !(0x30...0x39).contains($0) }.compactMap { Int(String(Substring($0))) }
        guard parts.count == 6,
            let time = CivilTime(
                year: parts[0], month: parts[1], day: parts[2], hour: parts[3], minute: parts[4], second: parts[5])
        else { return nil }
        return self.text(of: Timestamp(secondsSince1970: time.seconds)) == text ? time.seconds : nil
    }
}

/// Why a callback is not believed. No case repeats what it says.
public enum CallbackError: Error, Sendable, Equatable, CustomStringConvertible {
    case form(FormError)
    /// A field that must be there, by its name.
    case missing(String)
    /// A value that no callback has, by the name of its field.
    case invalid(String)
    /// There is no signature, and the merchant wants one.
    case unsigned
    case signature
    /// It was signed longer ago, or later from now, than the receiver permits.
    case stale

    public var description: String {
        switch self {
        case .form(let error): error.description
        case .missing(let name): "the callback has no \(name)"
        case .invalid(let name): "the callback's \(name) is invalid"
        case .unsigned: "the callback is not signed: check the secret at the back office"
        case .signature: "the signature of the callback is wrong: check the secret on both sides"
        case .stale: "the callback was not signed within the permitted time: check the clocks"
        }
    }
}
