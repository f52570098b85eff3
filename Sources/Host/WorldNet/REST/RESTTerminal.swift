public import Bytes
public import JSONDocument
public import PaymentTerminal

/// An access token, which goes with every request as `Bearer`.
public struct AccessToken: Sendable {
    public let token: SecretBytes
    /// How long it is good for.
    public let hours: Int
    /// Whether the host has what the published interface has no place for (docs/gateways.md).
    public let hasExtensions: Bool

    public init(token: SecretBytes, hours: Int, hasExtensions: Bool) {
        self.token = token
        self.hours = hours
        self.hasExtensions = hasExtensions
    }

    public init(_ answer: JSON) throws(HostError) {
        guard let token = answer["token"]?.text, !token.isEmpty, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            let hours = answer["expiresIn"]?.integer, (0...100_000).contains(hours),
            (answer["tokenType"]?.text ?? "Bearer") == "Bearer"
        else { throw .answerNotUnderstood }
        self.init(
            token: SecretBytes(token.utf8), hours: hours,
            hasExtensions: answer[RESTInterface.extensions]?["version"]?.integer == 1)
    }

    /// - Parameter alias: of the API key.
    public func document(audience: String, alias: String, terminals: [String]) -> JSON {
        .object([
            "audience": .text(audience), "boundTo": .text(alias), "tokenType": .text("Bearer"),
            "token": .text(String(decoding: token.revealed(), as: UTF8.self)), "expiresIn": .number(String(hours)),
            "enableReceipts": .flag(false), "enableHypermedia": .flag(false), "roles": .list([]),
            "allowedTerminals": .list(terminals.map { .text($0) }),
            RESTInterface.extensions: hasExtensions ? .object(["version": .number("1")]) : nil,
        ])
    }
}

/// What a terminal is set up for.
public enum RESTTerminal {
    /// - Parameter hasExtensions: Adds what the published answer does not tell: currencies and
    ///   limit.
    public static func document(_ settings: HostSettings, hasExtensions: Bool) -> JSON {
        .object([
            "terminalNumber": .text(settings.terminalID), "paymentProcessor": .text("CardPresent bench host"),
            "merchantDetails": .object(["name": .text(settings.merchantName)]),
            "terminalCustomFields": .list(
                settings.customFields.map { .object(["type": .text("STRING"), "name": .text($0)]) }),
            RESTInterface.extensions: !hasExtensions
                ? nil
                : .object([
                    "currencies": settings.currencies.map { .list($0.map { .text($0.code) }) },
                    "maximumAmount": settings.maximumAmount.map {
                        .object(["amount": .money($0), "currency": .text($0.currency.code)])
                    },
                ]),
        ])
    }

    /// The settings. The published answer names no currencies.
    public static func settings(_ answer: JSON) throws(HostError) -> HostSettings {
        guard let number = answer["terminalNumber"]?.text, let name = answer["merchantDetails"]?["name"]?.text else {
            throw .answerNotUnderstood
        }
        let more = try answer.stated(RESTInterface.extensions, \.object)
        var settings = HostSettings(
            merchantName: name, terminalID: number,
            currencies: try more?.stated("currencies", \.list)?.compactMap(\.currency),
            customFields: answer["terminalCustomFields"]?.list?.compactMap { $0["name"]?.text } ?? [])
        settings.maximumAmount = try more?.stated("maximumAmount") { limit in
            limit["currency"]?.currency.flatMap { limit["amount"]?.money(in: $0) }
        }
        return settings
    }
}

/// Errors of the REST interface: a status and a document with an identifier by which the gateway
/// finds the request.
public enum RESTError {
    /// The codes of the bench host: `CP_` and what the error is.
    private static let codes: [(code: HostError.Code, name: String, status: Int)] = [
        (.refused(.orderAlreadyProcessed), "CP_ORDER_ALREADY_PROCESSED", 422),
        (.refused(.transactionUnknown), "CP_TRANSACTION_UNKNOWN", 404),
        (.refused(.notAllowed), "CP_NOT_ALLOWED", 422), (.refused(.secureCardExists), "CP_SECURE_CARD_EXISTS", 422),
        (.refused(.secureCardUnknown), "CP_SECURE_CARD_UNKNOWN", 404),
        (.refused(.secureCardDeleted), "CP_SECURE_CARD_DELETED", 422),
        (.refused(.cardRefused), "CP_CARD_REFUSED", 422), (.refused(.validationFailed), "CP_VALIDATION_FAILED", 422),
        (.refused(.invalidRequest), "CP_INVALID_REQUEST", 400), (.refused(.notAuthorized), "CP_NOT_AUTHORIZED", 403),
        (.refused(.notSupported), "CP_NOT_SUPPORTED", 501), (.failed(.internalError), "CP_FAILED", 500),
        (.failed(.unreachable), "CP_TOO_MANY_REQUESTS", 429),
    ]

    public static func status(_ error: HostError) -> Int { codes.first { $0.code == error.code }?.status ?? 500 }

    public static func document(_ error: HostError, debugIdentifier: String) -> JSON {
        .object([
            "debugIdentifier": .text(debugIdentifier),
            "details": .list([
                .object([
                    "errorCode": .text(codes.first { $0.code == error.code }?.name ?? "CP_FAILED"),
                    "errorMessage": .text(error.message),
                    "source": .object(["location": .text("BODY")]),
                ])
            ]),
        ])
    }

    /// Whether the answer is the gateway's own error document, and not a page of another system.
    public static func isDocument(_ answer: JSON?) -> Bool { words(answer) != nil }

    private static func words(_ answer: JSON?) -> String? {
        let detail = answer?["details"]?.list?.first
        return detail?["errorMessage"]?.text ?? detail?["errorCode"]?.text
    }

    /// What an answer with an error's status means.
    ///
    /// Only the gateway's own error document says what happened to the request. A bare status may
    /// come from any system on the way.
    ///
    /// - Parameter movesMoney: a bare status, or an error of the gateway itself, then leaves the
    ///   outcome of the request open.
    public static func error(status: Int, _ answer: JSON?, movesMoney: Bool) -> HostError {
        guard let words = words(answer) else {
            let code: HostError.Code =
                movesMoney
                ? .failed(.noAnswer) : [401, 403].contains(status) ? .refused(.notAuthorized) : .failed(.internalError)
            return HostError(
                code,
                "the answer has status \(status) and no message\(movesMoney ? ": the outcome of the request is unknown" : "")",
                fault: status == 404 ? .wrongAddress : nil
            )
        }
        let message = "the gateway refused the request with status \(status): \(words.prefix(200))"
        if let name = answer?["details"]?.list?.first?["errorCode"]?.text,
            let known = codes.first(where: { $0.name == name })
        {
            guard known.code == .failed(.internalError), movesMoney else { return HostError(known.code, message) }
        }
        if words.lowercased().contains("order already processed") { return HostError(.orderAlreadyProcessed, message) }
        switch status {
        case 400, 406, 413, 415: return HostError(.invalidRequest, message)
        case 401, 403: return HostError(.notAuthorized, message)
        case 404: return HostError(.transactionUnknown, message)
        case 405, 501: return HostError(.notSupported, message)
        case 422: return HostError(.notAllowed, message)
        // The gateway itself says that it did not look at the request, which may be repeated.
        case 429: return HostError(.unreachable, message)
        default: return HostError(movesMoney ? .noAnswer : .internalError, message)
        }
    }
}
