import Bytes
import JSONDocument
import PaymentTerminal
import PeerPrograms
import Testing

@testable import ThreeDSecure

@Suite("Server tokens and their answers") struct CardinalTokenTests {
    private let now: Int64 = 1_471_014_500

    private func account(takesMissingAudience: Bool = false) throws -> CardinalAccount {
        var account = try CardinalAccount(
            identifier: "test-identifier", organization: "test-unit", key: SecretBytes(testKey.utf8))
        account.takesMissingAudience = takesMissingAudience
        return account
    }

    /// The claims of the published sample, with an `aud`; a change of nil takes a claim out.
    private func answer(_ changes: [String: JSON?] = [:], payload: JSON? = nil) throws -> String {
        var members = [
            ("iss", JSON.text("test-identifier")), ("iat", .number(1_471_014_492)), ("exp", .number(1_471_021_692)),
            ("jti", .text("rsp-1")), ("aud", .text("req-1")), ("ConsumerSessionId", .text("s-1")),
            ("Payload", try payload ?? JSON(parsing: Array(Self.payload.utf8))),
        ]
        for (name, value) in changes {
            members.removeAll { $0.0 == name }
            if let value { members.append((name, value)) }
        }
        return JSONWebToken(claims: .object(members.map { JSON.Member($0.0, $0.1) }))
            .signed(key: SecretBytes(testKey.utf8))
    }

    /// As the published sample has it.
    private static let payload = """
        {"Validated":true,"Payment":{"Type":"CCA","ExtendedData":{"CAVV":"AAABAWFlmQAAAABjRWWZEEFgFz+=",\
        "ECIFlag":"05","PAResStatus":"Y","SignatureVerification":"Y","XID":"MHEyQjFRQkttemdpaFlRdHowWTA=",\
        "Enrolled":"Y"}},"ActionCode":"SUCCESS","ErrorNumber":0,"ErrorDescription":"Success"}
        """

    private func verify(_ token: String, _ account: CardinalAccount? = nil, now: Int64? = nil, session: String? = nil)
        throws -> CardinalResponse
    {
        var taken = TakenTokens()
        return try (account ?? self.account()).verify(
            token, answering: "req-1", session: session, now: now ?? self.now, taken: &taken)
    }

    @Test("the published sample, as an object and as a text") func sample() throws {
        for payload in [try JSON(parsing: Array(Self.payload.utf8)), .text(Self.payload)] {
            let read = try verify(answer(payload: payload))
            #expect(read.actionCode == .success)
            #expect(read.sessionID == "s-1")
            #expect(read.errorNumber == .none)
            #expect(read.values.status == .authenticated)
            #expect(read.values.eci?.rawValue == "05")
            #expect(read.values.isSignatureRight == true)
            #expect(read.values.enrolled == .yes)
            // Forwarded as received, although its base64 is not canonical.
            #expect(read.values.authenticationValue?.rawValue == "AAABAWFlmQAAAABjRWWZEEFgFz+=")
            #expect(read.values.xid == "MHEyQjFRQkttemdpaFlRdHowWTA=")
        }
    }

    @Test("the published samples have no aud: only an account that says so takes them") func missingAudience() throws {
        let without: [String: JSON?] = ["aud": nil]
        let token = try answer(without)
        #expect(throws: CardinalTokenError.audience) { try verify(token) }
        #expect(try verify(token, account(takesMissingAudience: true)).id == "rsp-1")
        // One that is there must match in either account.
        let other = try answer(["aud": .text("req-2")])
        #expect(throws: CardinalTokenError.audience) { try verify(other, account(takesMissingAudience: true)) }
    }

    @Test(
        "claims that are wrong, missing, or written in another case",
        arguments: [
            (["iss": .some(.text("other"))], .issuer), (["iss": nil], .claim("iss")),
            (["aud": .text("req-2")], .audience), (["aud": .list([])], .audience), (["aud": .text("REQ-1")], .audience),
            (["aud": .list([.text("req-1"), .text("x")])], .audience),
            (["aud": nil, "Aud": .text("req-1")], .audience),
            (["iat": nil], .claim("iat")), (["iat": .text("1471014492")], .claim("iat")),
            (["iat": .number("1471014492.5")], .claim("iat")), (["exp": .text("x")], .claim("exp")),
            (["jti": nil], .claim("jti")), (["jti": nil, "JTI": .text("a")], .claim("jti")),
            (["ConsumerSessionId": nil, "consumersessionid": .text("s-1")], .claim("ConsumerSessionId")),
            (["Payload": nil], .payload), (["Payload": .text("}")], .payload),
            (["Payload": .text("{\"a\":")], .payload),
            (["Payload": .list([])], .payload), (["Payload": .object([])], .claim("ActionCode")),
        ] as [([String: JSON?], CardinalTokenError)])
    func claims(_ changes: [String: JSON?], _ error: CardinalTokenError) throws {
        let token = try answer(changes)
        #expect(throws: error) { try verify(token) }
    }

    @Test(
        "times: made, expired, two hours whatever exp says",
        arguments: [
            (1_471_014_492, 1_471_021_692, 1_471_014_432, nil), (1_471_014_492, 1_471_021_692, 1_471_014_431, .notYet),
            (1_471_014_492, 1_471_021_692, 1_471_021_751, nil), (1_471_014_492, 1_471_021_692, 1_471_021_752, .expired),
            (1_471_014_492, 1_471_014_500, 1_471_014_559, nil), (1_471_014_492, 1_471_014_500, 1_471_014_560, .expired),
            (1_471_014_492, 9_999_999_999, 1_471_021_752, nil), (1_471_014_492, 9_999_999_999, 1_471_021_753, .tooOld),
        ] as [(Int64, Int64, Int64, CardinalTokenError?)])
    func times(issued: Int64, expiry: Int64, now: Int64, error: CardinalTokenError?) throws {
        let token = try answer(["iat": .number(issued), "exp": .number(expiry)])
        if let error {
            #expect(throws: error) { try verify(token, now: now) }
        } else {
            _ = try verify(token, now: now)
        }
    }

    @Test("an answer is taken once, for its session") func once() throws {
        var taken = TakenTokens()
        let (account, token) = (try account(), try answer())
        #expect(throws: CardinalTokenError.session) {
            try account.verify(token, answering: "req-1", session: "s-2", now: now, taken: &taken)
        }
        _ = try account.verify(token, answering: "req-1", session: "s-1", now: now, taken: &taken)
        #expect(throws: CardinalTokenError.repeated) {
            try account.verify(token, answering: "req-1", session: "s-1", now: now, taken: &taken)
        }
    }

    @Test("PyJWT reads the server's token") func request() throws {
        var request = TokenRequest(id: "req-1", orderNumber: "A-1", amount: "23.45 EUR")
        request.referenceID = "ref-1"
        for isObject in [true, false] {
            request.isPayloadObject = isObject
            let token = try account().serverToken(request, now: 1_471_014_400)
            let read = try PeerProgram.python(
                "import jwt,sys,json; print(json.dumps(jwt.decode(sys.argv[1], sys.argv[2], algorithms=['HS256'])))",
                [token, testKey])
            let claims = try JSON(parsing: Array(read.utf8))
            #expect(claims["jti"]?.text == "req-1")
            #expect(claims["iss"]?.text == "test-identifier")
            #expect(claims["OrgUnitId"]?.text == "test-unit")
            #expect(claims["ObjectifyPayload"]?.flag == isObject)
            #expect(claims["ReferenceId"]?.text == "ref-1")
            let text = claims["Payload"]?.text
            let payload = try isObject ? claims["Payload"] : JSON(parsing: Array((text ?? "").utf8))
            #expect(payload?["OrderDetails"]?["Amount"]?.text == "2345")
            #expect(payload?["OrderDetails"]?["CurrencyCode"]?.text == "978")
            #expect(!token.contains(testKey))
        }
    }

    @Test("keys that are too short") func keys() {
        #expect(throws: CardinalAccountError.key) {
            try CardinalAccount(identifier: "a", organization: "b", key: SecretBytes([UInt8](repeating: 1, count: 31)))
        }
        #expect(throws: CardinalAccountError.identification) {
            try CardinalAccount(identifier: "", organization: "b", key: SecretBytes(testKey.utf8))
        }
    }
}
