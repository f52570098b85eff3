public import Bytes
public import PaymentTerminal
public import XMLDocument

/// A message of the XML interface: the values of one form.
public struct XMLMessage: Sendable {
    public let form: XMLForm
    private var values: [XMLField: String] = [:]
    /// Card numbers, tracks and CVVs of a message to be sent.
    private var secrets: [XMLField: SecretBytes] = [:]
    public var customFields: [CustomField] = []

    public init(_ form: XMLForm) { self.form = form }

    /// Empty texts count as absent.
    public subscript(_ field: XMLField) -> String? {
        get { values[field] }
        set { values[field] = newValue.flatMap { $0.isEmpty ? nil : $0 } }
    }

    /// The value in UTF-8. One that was set here is wiped, and is in no text; an empty one counts
    /// as absent.
    public subscript(secret field: XMLField) -> SecretBytes? {
        get { secrets[field] ?? values[field].map { SecretBytes($0.utf8) } }
        set { secrets[field] = newValue.flatMap { $0.isEmpty ? nil : $0 } }
    }

    private func has(_ field: XMLField) -> Bool { values[field] != nil || secrets[field] != nil }

    private func element(_ field: XMLField) -> XMLElement {
        secrets[field].map { XMLElement(field.rawValue, secret: $0) }
            ?? XMLElement(field.rawValue, text: values[field] ?? "")
    }
}

extension XMLMessage {
    /// Reads a message of one of `forms`. Elements that the form does not have are passed over; the
    /// others come in its order.
    public init(_ root: XMLElement, among forms: [XMLForm]) throws(XMLMessageError) {
        guard let form = forms.first(where: { $0.name == root.name }) else { throw .unknownMessage }
        self.init(form)
        var rest = root.children[...]
        for part in form.parts {
            switch part {
            case .required(let field):
                guard let element = Self.take(field.rawValue, in: form, from: &rest) else { throw .missing(field) }
                self[field] = element.text
            case .optional(let field):
                self[field] = Self.take(field.rawValue, in: form, from: &rest)?.text
            case .group(let name, let fields):
                guard let group = Self.take(name, in: form, from: &rest) else { continue }
                for field in fields {
                    guard let element = group.children.first(where: { $0.name == field.rawValue }) else {
                        throw .missing(field)
                    }
                    self[field] = element.text
                }
            case .customFields:
                while let element = Self.take("CUSTOMFIELD", in: form, from: &rest) {
                    guard customFields.count < 30 else { throw .tooManyCustomFields }
                    customFields.append(CustomField(name: element.attributes["NAME"] ?? "", value: element.text))
                }
            }
        }
        guard !rest.contains(where: { form.has($0.name) }) else { throw .order }
    }

    /// The element `name` if it comes next among those that the form has.
    private static func take(_ name: String, in form: XMLForm, from rest: inout ArraySlice<XMLElement>) -> XMLElement? {
        while let first = rest.first {
            if first.name == name { return rest.removeFirst() }
            if form.has(first.name) { return nil }
            rest.removeFirst()
        }
        return nil
    }

    /// The message as a document, its hash taken over `secret`.
    ///
    /// - Parameter request: what the message answers; nil for a request.
    public func element(answering request: XMLMessage? = nil, _ hash: MessageHash) -> XMLElement {
        var message = self
        if !form.hashed.isEmpty { message[.hash] = hash.value(over: hashedValues(answering: request, hash)) }
        var children: [XMLElement] = []
        for part in form.parts {
            switch part {
            case .required(let field): children.append(message.element(field))
            case .optional(let field): if message.has(field) { children.append(message.element(field)) }
            case .group(let name, let fields):
                guard fields.contains(where: { message.has($0) }) else { continue }
                children.append(XMLElement(name, children: fields.map { message.element($0) }))
            case .customFields:
                children += customFields.map {
                    XMLElement("CUSTOMFIELD", attributes: ["NAME": $0.name], text: $0.value)
                }
            }
        }
        return XMLElement(form.name, children: children)
    }

    /// Whether the message's hash was made with the secret.
    public func isGenuine(answering request: XMLMessage? = nil, _ hash: MessageHash) -> Bool {
        hash.isRight(self[.hash] ?? "", over: hashedValues(answering: request, hash))
    }

    private func hashedValues(answering request: XMLMessage?, _ hash: MessageHash) -> [SecretBytes] {
        let fields = hash.coversCurrency ? form.hashedWithCurrency : form.hashed
        return fields.compactMap {
            self[secret: $0] ?? ([.terminalID, .currency, .amount].contains($0) ? request?[secret: $0] : nil)
        }
    }
}

extension XMLMessage: CustomStringConvertible, CustomReflectable {
    public var description: String { form.name }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension XMLForm {
    func has(_ name: String) -> Bool {
        parts.contains { part in
            switch part {
            case .required(let field), .optional(let field): field.rawValue == name
            case .group(let group, _): group == name
            case .customFields: name == "CUSTOMFIELD"
            }
        }
    }
}

/// Why a document is not a message of the interface.
public enum XMLMessageError: Error, Sendable, Equatable {
    case unknownMessage
    case missing(XMLField)
    /// The elements are not in the order of the gateway's schema.
    case order
    case tooManyCustomFields
}

extension XMLMessageError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unknownMessage: "unknown message"
        case .missing(let field): "\(field.rawValue) is missing"
        case .order: "the elements are not in the order of the schema"
        case .tooManyCustomFields: "more than 30 custom fields"
        }
    }
}
