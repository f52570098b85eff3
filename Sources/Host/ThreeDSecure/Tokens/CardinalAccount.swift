public import Bytes
internal import JSONDocument
public import PaymentTerminal

/// A merchant's account at Cardinal. The API key signs tokens and messages, and is in none of them.
public struct CardinalAccount: Sendable {
    /// The API identifier: claim `iss`, field `Identifier`.
    public let identifier: String
    /// Claim `OrgUnitId`, field `OrgUnit`.
    public let organization: String
    let key: SecretBytes
    /// Whether an answer without `aud` is taken. The documentation's table has the claim, its
    /// samples do not.
    public var takesMissingAudience = false

    /// - Parameter key: The API key in UTF-8, at least 32 bytes.
    public init(identifier: String, organization: String, key: SecretBytes) throws(CardinalAccountError) {
        guard !identifier.isEmpty, identifier.utf8.count <= 255, !organization.isEmpty, organization.utf8.count <= 24
        else { throw .identification }
        guard key.count >= JSONWebToken.minimumKeyCount else { throw .key }
        self.identifier = identifier
        self.organization = organization
        self.key = key
    }
}

/// Why an account cannot be used.
public enum CardinalAccountError: Error, Sendable, Equatable {
    /// An identifier of 1 to 255 bytes and an organization of 1 to 24 are required.
    case identification
    /// The key has fewer than 32 bytes.
    case key
}

extension CardinalAccountError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .identification: "the API identifier has 1 to 255 characters, the organization unit 1 to 24"
        case .key: "the API key has fewer than \(JSONWebToken.minimumKeyCount) characters"
        }
    }
}

/// What a token for the browser or the app asks for.
public struct TokenRequest: Sendable, Equatable {
    /// New each time (`jti`): the answer names it.
    public let id: String
    /// The merchant's id of the order (`OrderNumber`).
    public var orderNumber: String
    public var amount: Money
    /// The merchant's own id of the session (`ReferenceId`); without it Cardinal chooses one.
    public var referenceID: String?
    /// Whether the payload is an object; a text that contains one otherwise.
    public var isPayloadObject = true
    /// Where the browser's result is posted (`ConfirmUrl`).
    public var confirmURL: String?

    public init(id: String, orderNumber: String, amount: Money) {
        self.id = id
        self.orderNumber = orderNumber
        self.amount = amount
    }
}

extension CardinalAccount {
    /// The lifetime of a token, in seconds: an older one is refused, whatever its `exp` says.
    public static let tokenLifetime: Int64 = 7200

    /// The token that begins the session in the browser or the app.
    ///
    /// - Parameter now: Seconds since 1970.
    public func serverToken(_ request: TokenRequest, now: Int64) -> String {
        let payload = JSON.object([
            "OrderDetails": .object([
                "OrderNumber": .text(request.orderNumber), "Amount": .text(String(request.amount.minorUnits)),
                "CurrencyCode": .text(request.amount.currency.threeDigits),
            ])
        ])
        let claims = JSON.object([
            "jti": .text(request.id), "iat": .number(now), "iss": .text(identifier), "OrgUnitId": .text(organization),
            "Payload": request.isPayloadObject
                ? payload : .text(String(decoding: payload.document, as: UTF8.self)),
            "ReferenceId": request.referenceID.map { .text($0) },
            "ObjectifyPayload": .flag(request.isPayloadObject), "ConfirmUrl": request.confirmURL.map { .text($0) },
        ])
        return JSONWebToken(claims: claims).signed(key: key)
    }
}

extension Currency {
    /// The numeric code.
    package var threeDigits: String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 3 - digits.utf8.count)) + digits
    }
}
