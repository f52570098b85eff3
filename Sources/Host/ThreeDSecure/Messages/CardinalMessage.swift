public import Bytes
public import PaymentTerminal
public import XMLDocument

/// Through what the customer pays.
public enum DeviceChannel: Sendable, Equatable {
    /// - referenceID: What the device's data were collected under (`DFReferenceId`).
    case browser(BrowserData, referenceID: String)
    /// - referenceID: The session's id from setup, or the token's `ReferenceId`.
    case app(referenceID: String)
}

/// What the customer's browser tells of itself: EMV 3-D Secure 2.2.0, Annex A, `browser…`.
public struct BrowserData: Sendable, Equatable {
    /// The `Accept` header.
    public var acceptHeader: String
    public var userAgent: String
    public var ipAddress: String
    public var language: String
    public var isJavaEnabled: Bool
    /// 1, 4, 8, 15, 16, 24, 32 or 48 bits.
    public var colorDepth: Int
    /// In pixels.
    public var screenHeight: Int
    public var screenWidth: Int
    /// Minutes between UTC and local time.
    public var timeZone: Int

    public init(
        acceptHeader: String, userAgent: String, ipAddress: String, language: String, isJavaEnabled: Bool,
        colorDepth: Int, screenHeight: Int, screenWidth: Int, timeZone: Int
    ) {
        self.acceptHeader = acceptHeader
        self.userAgent = userAgent
        self.ipAddress = ipAddress
        self.language = language
        self.isJavaEnabled = isJavaEnabled
        self.colorDepth = colorDepth
        self.screenHeight = screenHeight
        self.screenWidth = screenWidth
        self.timeZone = timeZone
    }
}

/// The question whether a card is to be authenticated, and how (`cmpi_lookup`).
public struct LookupRequest: Sendable {
    public var orderNumber: String
    public var amount: Money
    public var card: CardDetails
    public var channel: DeviceChannel
    public var email: String?

    public init(orderNumber: String, amount: Money, card: CardDetails, channel: DeviceChannel) {
        self.orderNumber = orderNumber
        self.amount = amount
        self.card = card
        self.channel = channel
    }
}

extension CardinalAccount {
    /// The message of a lookup. Its document has the card number: whoever posts it wipes it.
    ///
    /// - Parameter now: Milliseconds since 1970.
    public func lookup(_ request: LookupRequest, now: Int64, _ algorithm: CardinalAlgorithm = .sha256) -> XMLElement {
        var message = begin("cmpi_lookup", now: now, algorithm)
        func add(_ name: String, _ text: String) { message.children.append(XMLElement(name, text: text)) }
        add("TransactionType", "C")
        add("OrderNumber", request.orderNumber)
        add("Amount", String(request.amount.minorUnits))
        add("CurrencyCode", request.amount.currency.threeDigits)
        message.children.append(XMLElement("CardNumber", secret: request.card.pan))
        let expiry = request.card.expiry.mmyy
        add("CardExpMonth", String(expiry.prefix(2)))
        add("CardExpYear", "20" + expiry.suffix(2))
        if let email = request.email { add("Email", email) }
        switch request.channel {
        case .app(let reference):
            add("DeviceChannel", "SDK")
            add("DFReferenceId", reference)
        case .browser(let browser, let reference):
            add("DeviceChannel", "browser")
            add("DFReferenceId", reference)
            add("BrowserHeader", browser.acceptHeader)
            add("UserAgent", browser.userAgent)
            add("IPAddress", browser.ipAddress)
            add("BrowserLanguage", browser.language)
            add("BrowserJavaEnabled", browser.isJavaEnabled ? "true" : "false")
            add("BrowserColorDepth", String(browser.colorDepth))
            add("BrowserScreenHeight", String(browser.screenHeight))
            add("BrowserScreenWidth", String(browser.screenWidth))
            add("BrowserTimeZone", String(browser.timeZone))
        }
        return message
    }

    /// The message that asks for the result of a challenge (`cmpi_authenticate`).
    ///
    /// - Parameter now: Milliseconds since 1970.
    public func authenticate(_ transactionID: String, now: Int64, _ algorithm: CardinalAlgorithm = .sha256)
        -> XMLElement
    {
        var message = begin("cmpi_authenticate", now: now, algorithm)
        message.children.append(XMLElement("TransactionType", text: "C"))
        message.children.append(XMLElement("TransactionId", text: transactionID))
        return message
    }

    private func begin(_ type: String, now: Int64, _ algorithm: CardinalAlgorithm) -> XMLElement {
        let timestamp = String(now.saturatingSubtracting(Self.timestampOffset))
        let fields = [
            ("MsgType", type), ("Version", "1.7"), ("Algorithm", algorithm.rawValue), ("Identifier", identifier),
            ("OrgUnit", organization), ("Timestamp", timestamp),
            ("Signature", signature(timestamp: timestamp, algorithm)),
        ]
        return XMLElement("CardinalMPI", children: fields.map { XMLElement($0, text: $1) })
    }
}

extension XMLElement {
    /// The message as the body of a post: the form field `cmpi_msg`. It may have a card number.
    public var cardinalForm: SecretBytes {
        var document = document
        defer { wipe(&document) }
        var body: [UInt8] = []
        // So that the array does not move while it grows, and leaves no copy behind.
        body.reserveCapacity(3 * document.count + 9)
        body += "cmpi_msg=".utf8
        let digits = Array("0123456789ABCDEF".utf8)
        for byte in document {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                body.append(byte)
            default: body += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 0x0F)]]
            }
        }
        return SecretBytes(wiping: &body)
    }
}
