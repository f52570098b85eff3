public import Bytes
internal import CardCryptography
internal import JSONDocument
public import ThreeDSecure
public import XMLDocument

/// Cardinal, the directory and the issuers for trials: a value without clock and network. Published
/// test cards decide; any other card is not enrolled.
public struct BenchCardinal: Sendable {
    /// How the issuer asks: EMV 3-D Secure 2.2.0, Annex A, `acsUiType`.
    public enum ChallengeForm: String, Sendable, CaseIterable {
        case text = "01"
        case singleSelect = "02"
        case multiSelect = "03"
        case outOfBand = "04"
    }

    /// What the customer does at the challenge.
    public enum Reply: Sendable, Equatable {
        /// A code, or the chosen answers.
        case text(String)
        case select([String])
        /// The customer has agreed in the bank's app.
        case confirmed
        case cancel
    }

    /// What comes back to the browser or the app, as `stepUpDidValidate` has it.
    public struct Returned: Sendable, Equatable {
        public let transactionID: String
        public let actionCode: ActionCode
        public let errorNumber: CardinalErrorNumber
        /// Empty where nothing was validated.
        public let token: String
    }

    private struct Transaction {
        let sessionID: String
        let requestID: String
        let behavior: TestCard.Behavior
        let isMastercard: Bool
        var result: TestCard.Result?
        var isOver = false
    }

    private let identifier: String
    private let organization: String
    private let key: SecretBytes
    private let form: ChallengeForm
    /// Whether answers name the request that they answer (`aud`).
    public var namesAudience = true
    /// Whether a token's payload is a text.
    private var isPayloadText: [String: Bool] = [:]
    /// The request of each session.
    private var sessions: [String: String] = [:]
    private var transactions: [String: Transaction] = [:]
    private var sequence = 0

    /// - Parameter key: The API key of the one account.
    public init(identifier: String, organization: String, key: SecretBytes, form: ChallengeForm = .text) {
        self.identifier = identifier
        self.organization = organization
        self.key = key
        self.form = form
    }

    private mutating func next(_ prefix: String) -> String {
        sequence += 1
        return "\(prefix)-\(sequence)"
    }

    /// Begins a session: its id, or the number of the error.
    ///
    /// - Parameter now: Seconds since 1970.
    public mutating func setUp(_ token: String, now: Int64) -> Result<String, CardinalFault> {
        guard let claims = try? JSONWebToken(verifying: token, key: key).claims else {
            return .failure(CardinalFault(number: 1010))
        }
        guard claims["iss"]?.text == identifier, claims["OrgUnitId"]?.text == organization,
            let request = claims["jti"]?.text, let issued = claims["iat"]?.integer
        else { return .failure(CardinalFault(number: 1020)) }
        guard now.saturatingSubtracting(Int64(issued)) <= CardinalAccount.tokenLifetime else {
            return .failure(CardinalFault(number: 1011))
        }
        let session = claims["ReferenceId"]?.text ?? next("session")
        sessions[session] = request
        isPayloadText[session] = claims["ObjectifyPayload"]?.flag == false
        return .success(session)
    }

    /// Answers a message, `cmpi_lookup` or `cmpi_authenticate`.
    public mutating func answer(_ message: XMLElement) -> XMLElement {
        var fields: [String: String] = [:]
        for child in message.children {
            let secret = child.secret.map { String(decoding: $0.revealed(), as: UTF8.self) }
            fields[child.name] = secret ?? child.text
        }
        guard fields["Identifier"] == identifier, fields["OrgUnit"] == organization, isSigned(fields) else {
            return Self.answer([("ErrorNo", "1001"), ("ErrorDesc", "Not authorized")])
        }
        return switch fields["MsgType"] {
        case "cmpi_lookup": lookUp(fields)
        case "cmpi_authenticate": authenticate(fields)
        default: Self.answer([("ErrorNo", "1003"), ("ErrorDesc", "Malformed")])
        }
    }

    private func isSigned(_ fields: [String: String]) -> Bool {
        let input = Array((fields["Timestamp"] ?? "").utf8) + key.revealed()
        return switch fields["Algorithm"] {
        case "SHA-256": fields["Signature"] == SHA256.hash(input).text(in: .standard)
        case "SHA-512": fields["Signature"] == SHA512.hash(input).text(in: .standard)
        default: false
        }
    }

    private mutating func lookUp(_ fields: [String: String]) -> XMLElement {
        guard let session = fields["DFReferenceId"], let request = sessions[session],
            let number = fields["CardNumber"]
        else { return Self.answer([("ErrorNo", "4000"), ("ErrorDesc", "Validation")]) }
        guard let behavior = TestCard.published[number] else {
            return Self.answer([("ErrorNo", "0"), ("Enrolled", "N"), ("EciFlag", "07")])
        }
        let id = next("tx")
        let isMastercard = number.hasPrefix("5")
        transactions[id] = Transaction(
            sessionID: session, requestID: request, behavior: behavior, isMastercard: isMastercard)
        var answer = Self.fields(behavior.lookup, id, isMastercard: isMastercard)
        if behavior.lookup.status == .challenge {
            answer += [("ACSUrl", "https://acs.example/challenge"), ("Payload", "creq-\(id)")]
        }
        return Self.answer(answer)
    }

    private func authenticate(_ fields: [String: String]) -> XMLElement {
        guard let id = fields["TransactionId"], let transaction = transactions[id], let result = transaction.result
        else { return Self.answer([("ErrorNo", "4000"), ("ErrorDesc", "Validation")]) }
        return Self.answer(Self.fields(result, id, isMastercard: transaction.isMastercard))
    }

    private static func answer(_ fields: [(String, String)]) -> XMLElement {
        XMLElement("CardinalMPI", children: fields.map { XMLElement($0, text: $1) })
    }

    private static func fields(_ result: TestCard.Result, _ id: String, isMastercard: Bool) -> [(String, String)] {
        var fields = [
            ("ErrorNo", String(result.error)), ("TransactionId", id), ("ThreeDSVersion", "2.1.0"),
            ("DSTransactionId", "ds-\(id)"),
        ]
        if let enrolled = result.enrolled { fields.append(("Enrolled", enrolled.rawValue)) }
        fields += Self.values(result, id, isMastercard: isMastercard).map { name, value in
            // Messages write two of the names in another case than tokens.
            (name == "CAVV" ? "Cavv" : name == "ECIFlag" ? "EciFlag" : name, value)
        }
        return fields
    }

    private static func values(_ result: TestCard.Result, _ id: String, isMastercard: Bool) -> [(String, String)] {
        var values: [(String, String)] = []
        if let status = result.status {
            values.append(("PAResStatus", status.rawValue))
            if ![.unavailable, .challenge].contains(status) { values.append(("SignatureVerification", "Y")) }
            if status == .denied { values.append(("CardholderInfo", "Call your bank.")) }
        }
        if let eci = result.eci {
            let ofMastercard = ["05": "02", "06": "01", "07": "00"]
            values.append(("ECIFlag", isMastercard ? ofMastercard[eci] ?? eci : eci))
        }
        if let reason = result.reason { values.append(("StatusReason", reason)) }
        if result.hasValue {
            values.append(("CAVV", Array(SHA256.hash(Array(id.utf8)).prefix(20)).text(in: .standard)))
        }
        return values
    }
}

/// Why a session does not begin.
public struct CardinalFault: Error, Sendable, Equatable {
    public let number: Int
}

extension CardinalFault: CustomStringConvertible {
    public var description: String { "\(CardinalErrorNumber(rawValue: number))" }
}

extension BenchCardinal {
    /// The form of a challenge that is open; nil for another transaction.
    public func challenge(_ id: String) -> ChallengeForm? {
        guard let transaction = transactions[id], transaction.behavior.challenge != nil, !transaction.isOver else {
            return nil
        }
        return form
    }

    /// What a customer who is who they say answers.
    public var rightReply: Reply {
        switch form {
        case .text: .text("1234")
        case .singleSelect: .select(["phone"])
        case .multiSelect: .select(["red", "blue"])
        case .outOfBand: .confirmed
        }
    }

    /// Ends a challenge. The card decides what the right reply leads to; a wrong one is denied.
    ///
    /// - Returns: nil for a challenge that is not open.
    public mutating func reply(_ id: String, _ reply: Reply, now: Int64) -> Returned? {
        guard challenge(id) != nil, var transaction = transactions[id], let right = transaction.behavior.challenge
        else { return nil }
        transaction.isOver = true
        guard reply != .cancel else {
            transactions[id] = transaction
            return Returned(transactionID: id, actionCode: .cancel, errorNumber: .none, token: "")
        }
        let result = reply == rightReply ? right : TestCard.Result(status: .denied, eci: "07")
        transaction.result = result
        transactions[id] = transaction
        let action: ActionCode =
            if result.error != 0 { .error } else {
                switch result.status {
                case .authenticated, .attempted: .success
                case .unavailable, nil: .noAction
                default: .failure
                }
            }
        let number = CardinalErrorNumber(rawValue: result.error)
        return Returned(
            transactionID: id, actionCode: action, errorNumber: number,
            token: token(id, transaction, result, action: action, now: now))
    }

    private mutating func token(
        _ id: String, _ transaction: Transaction, _ result: TestCard.Result, action: ActionCode, now: Int64
    ) -> String {
        let extended = Self.values(result, id, isMastercard: transaction.isMastercard).map {
            JSON.Member($0, .text($1))
        }
        let payload = JSON.object([
            "Validated": .flag(action == .success),
            "Payment": .object([
                "Type": .text("CCA"), "ProcessorTransactionId": .text(id),
                "ExtendedData": .object(
                    extended + (result.enrolled.map { [JSON.Member("Enrolled", .text($0.rawValue))] } ?? [])),
            ]),
            "ActionCode": .text(action.rawValue), "ErrorNumber": .number(result.error),
            "ErrorDescription": .text(result.error == 0 ? "Success" : "Error"),
        ])
        let isText = isPayloadText[transaction.sessionID] ?? false
        return JSONWebToken(
            claims: .object([
                "iss": .text(identifier), "iat": .number(now),
                "exp": .number(now.saturatingAdding(CardinalAccount.tokenLifetime)),
                "jti": .text(next("answer")), "aud": namesAudience ? .text(transaction.requestID) : nil,
                "ConsumerSessionId": .text(transaction.sessionID),
                "Payload": isText ? .text(String(decoding: payload.document, as: UTF8.self)) : payload,
            ])
        ).signed(key: key)
    }
}
