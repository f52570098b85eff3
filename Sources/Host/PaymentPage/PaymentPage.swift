internal import Bytes
internal import Mustache
public import PaymentTerminal

/// The payment page as text and headers: a card is entered in the browser, and posted to the one
/// who serves the page. It has no script and works without any.
public struct PaymentPage: Sendable {
    /// What the page is for.
    public struct Content: Sendable {
        public var merchantName: String
        public var amount: Money
        /// Whether the card is stored; with an amount above zero it is charged, too.
        public var storesCard: Bool
        /// The path that the form is posted to.
        public var action: String
        /// What the server knows the session by. It is posted with the form.
        public var session: String
        public var language: PageLanguage
        public var theme: PageTheme
        /// Origins that may show the page in a frame: `https://shop.example`. None by default.
        public var frameAncestors: [String] = []

        public init(
            merchantName: String, amount: Money, storesCard: Bool = false, action: String, session: String,
            language: PageLanguage = .english, theme: PageTheme = PageTheme()
        ) {
            self.merchantName = merchantName
            self.amount = amount
            self.storesCard = storesCard
            self.action = action
            self.session = session
            self.language = language
            self.theme = theme
        }
    }

    /// A page with its headers.
    public struct Rendered: Sendable, Equatable {
        public let headers: [(name: String, value: String)]
        public let body: String

        public static func == (left: Rendered, right: Rendered) -> Bool {
            left.body == right.body && left.headers.elementsEqual(right.headers, by: ==)
        }
    }

    private let form: MustacheTemplate
    private let challenge: MustacheTemplate

    /// - Throws: The template library's error; the templates are the module's own.
    public init() throws {
        MustacheContentTypes.register(ScalarEscaping(), named: ScalarEscaping.name)
        form = try MustacheTemplate(string: Templates.page(Templates.form))
        challenge = try MustacheTemplate(string: Templates.page(Templates.challenge))
    }

    /// The form, or the form again after faults. Neither the number nor the code nor the date ever
    /// come back: only the name does.
    ///
    /// - Parameters:
    ///   - name: The name that was entered.
    ///   - nonce: At least 16 random bytes, new for each page.
    public func form(_ content: Content, faults: [CardEntry.Field] = [], name: String = "", nonce: [UInt8]) -> Rendered
    {
        let texts = PageTexts(content.language)
        let nonce = nonce.text(in: .standard)
        let isCharged = content.amount.minorUnits > 0
        var values = Self.common(content, nonce)
        values["action"] = content.action
        values["session"] = content.session
        values["submit"] = isCharged ? "\(texts.pay) \(content.amount)" : texts.storeCard
        values["cancel"] = texts.cancel
        values["allRequired"] = texts.allRequired
        values["summary"] = texts.summary
        values["hasFaults"] = !faults.isEmpty
        let fields = CardEntry.Field.allCases.map { field -> [String: Any] in
            let form = FieldForm(field, texts)
            return [
                "id": field.rawValue, "label": form.label, "hint": form.hint, "hasHint": !form.hint.isEmpty,
                "autocomplete": form.autocomplete, "inputmode": form.inputmode, "maxlength": form.maxlength,
                "value": field == .name ? name : "", "isFaulty": faults.contains(field), "fault": form.fault,
                "describedBy": form.describedBy(isFaulty: faults.contains(field)),
            ]
        }
        values["fields"] = fields
        values["faults"] = fields.filter { $0["isFaulty"] as? Bool == true }
        return Rendered(
            headers: Self.headers(nonce, formAction: "'self'", content.frameAncestors), body: form.render(values))
    }

    /// The page that leads to the issuer's challenge: EMV 3-D Secure 2.2.0, the browser's CReq.
    ///
    /// - Parameters:
    ///   - url: The issuer's address, https only. The page may post there, and nowhere else.
    ///   - request: `creq`.
    ///   - sessionData: `threeDSSessionData`, which comes back unchanged.
    /// - Returns: nil for another address.
    public func challenge(_ content: Content, url: String, request: String, sessionData: String, nonce: [UInt8])
        -> Rendered?
    {
        guard let origin = Self.origin(url) else { return nil }
        let texts = PageTexts(content.language)
        let nonce = nonce.text(in: .standard)
        var values = Self.common(content, nonce)
        values["action"] = url
        values["creq"] = request
        values["sessionData"] = sessionData
        values["words"] = texts.challenge
        values["submit"] = texts.next
        return Rendered(
            headers: Self.headers(nonce, formAction: origin, content.frameAncestors), body: challenge.render(values))
    }

    /// `https://acs.example`, of an address with it; nil for another scheme, or for characters that
    /// a header cannot have.
    static func origin(_ url: String) -> String? {
        guard url.hasPrefix("https://") else { return nil }
        let host = url.dropFirst("https://".count).prefix { !"/?#".contains($0) }
        let allowed = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-:".utf8)
        guard !host.isEmpty, host.utf8.allSatisfy(allowed.contains), !url.hasSteeringCharacters else { return nil }
        return "https://" + host
    }

    private static func common(_ content: Content, _ nonce: String) -> [String: Any] {
        let theme = content.theme
        return [
            "language": content.language.rawValue, "nonce": nonce, "merchant": content.merchantName,
            "bar": theme.merchantText.isEmpty ? content.merchantName : theme.merchantText,
            "style": Templates.style(theme),
        ]
    }

    private static func headers(_ nonce: String, formAction: String, _ ancestors: [String]) -> [(
        name: String, value: String
    )] {
        let frames = ancestors.compactMap(origin)
        let policy = [
            "default-src 'none'", "style-src 'nonce-\(nonce)'", "form-action \(formAction)",
            "frame-ancestors " + (frames.isEmpty ? "'none'" : frames.joined(separator: " ")), "base-uri 'none'",
        ]
        return [
            ("Content-Type", "text/html; charset=utf-8"), ("Content-Security-Policy", policy.joined(separator: "; ")),
            ("Cache-Control", "no-store"), ("Referrer-Policy", "no-referrer"), ("X-Content-Type-Options", "nosniff"),
            ("Strict-Transport-Security", "max-age=31536000"),
        ]
    }
}

/// What the form says of a field.
private struct FieldForm {
    let id: String
    let label: String
    let hint: String
    let fault: String
    let autocomplete: String
    let inputmode: String
    let maxlength: Int

    init(_ field: CardEntry.Field, _ texts: PageTexts) {
        id = field.rawValue
        inputmode = field == .name ? "text" : "numeric"
        switch field {
        case .number:
            (label, hint, fault) = (texts.number, "", texts.numberFault)
            (autocomplete, maxlength) = ("cc-number", 30)
        case .expiry:
            (label, hint, fault) = (texts.expiry, texts.expiryHint, texts.expiryFault)
            (autocomplete, maxlength) = ("cc-exp", 9)
        case .code:
            (label, hint, fault) = (texts.code, texts.codeHint, texts.codeFault)
            (autocomplete, maxlength) = ("cc-csc", 4)
        case .name:
            (label, hint, fault) = (texts.name, "", texts.nameFault)
            (autocomplete, maxlength) = ("cc-name", 45)
        }
    }

    func describedBy(isFaulty: Bool) -> String {
        ((hint.isEmpty ? [] : ["\(id)-hint"]) + (isFaulty ? ["\(id)-fault"] : [])).joined(separator: " ")
    }
}
