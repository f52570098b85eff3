import Bytes
import CardCryptography
import JSONDocument
import PeerPrograms
import Testing

@testable import ThreeDSecure

let testKey = "11111111-2222-3333-4444-555555555555"

@Suite("JSON Web Tokens, with PyJWT as the referee") struct JSONWebTokenTests {
    private let key = SecretBytes(testKey.utf8)

    /// The third parts by Python's `hmac`.
    private static let vectors = [
        (
            """
            {"jti":"req-1","iat":1471014400,"iss":"test-identifier","OrgUnitId":"test-unit","Payload":\
            {"OrderDetails":{"OrderNumber":"A-1","Amount":"2345","CurrencyCode":"978"}},"ObjectifyPayload":true}
            """, "eXG1wp_VTa7DAxF1QwJUd9_q636yyW7pPYkUIotGrh4"
        ),
        (
            """
            {"iss":"test-identifier","iat":1471014492,"exp":1471021692,"jti":"rsp-1","aud":"req-1",\
            "ConsumerSessionId":"s-1","Payload":{"Validated":true,"Payment":{"Type":"CCA","ExtendedData":{"CAVV":\
            "AAABAWFlmQAAAABjRWWZEEFgFz8=","ECIFlag":"05","PAResStatus":"Y","SignatureVerification":"Y",\
            "XID":"MHEyQjFRQkttemdpaFlRdHowWTA=","Enrolled":"Y"}},"ActionCode":"SUCCESS","ErrorNumber":0,\
            "ErrorDescription":"Success"}}
            """, "U47pqvQ23QXIDNIDCqDbbwaVYksFjhuQzl6qqCDUIVs"
        ),
    ]

    @Test("signatures that another program has computed", arguments: vectors)
    func signatures(_ payload: String, _ signature: String) throws {
        let claims = try JSON(parsing: Array(payload.utf8))
        let token = JSONWebToken(claims: claims).signed(key: key)
        #expect(token.split(separator: ".").last.map(String.init) == signature)
        #expect(try JSONWebToken(verifying: token, key: key).claims == claims)
    }

    @Test("PyJWT verifies what the library signs, and the other way round") func referee() throws {
        let claims = try JSON(parsing: Array("{\"jti\":\"a\",\"iss\":\"é\",\"n\":12}".utf8))
        let read = try PeerProgram.python(
            "import jwt,sys,json; print(json.dumps(jwt.decode(sys.argv[1], sys.argv[2], algorithms=['HS256'])))",
            [JSONWebToken(claims: claims).signed(key: key), testKey])
        #expect(try JSON(parsing: Array(read.utf8)) == claims)
        let made = try PeerProgram.python(
            "import jwt,sys; print(jwt.encode({'jti':'a','x':[1,True]}, sys.argv[1], algorithm='HS256'))", [testKey])
        let taken = try JSONWebToken(verifying: made, key: key).claims
        #expect(taken["jti"] == .text("a"))
        #expect(taken["x"] == .list([.number("1"), .flag(true)]))
    }

    /// What PyJWT makes, and what its signature is over.
    private func token(header: String, payload: String = "{\"jti\":\"a\"}", key: String = testKey) -> String {
        let signed = Array(header.utf8).text(in: .url) + "." + Array(payload.utf8).text(in: .url)
        return signed + "."
            + HMACSHA256.authenticate(Array(signed.utf8), key: SecretBytes(key.utf8)).text(in: .url)
    }

    @Test(
        "other algorithms, names twice, extensions",
        arguments: [
            ("{\"alg\":\"none\"}", JSONWebTokenError.algorithm), ("{\"alg\":\"HS512\"}", .algorithm),
            ("{\"alg\":\"hs256\"}", .algorithm), ("{\"Alg\":\"HS256\"}", .algorithm), ("{}", .algorithm),
            ("{\"alg\":\"HS256\",\"crit\":[\"exp\"]}", .critical), ("{\"alg\":\"none\",\"alg\":\"HS256\"}", .malformed),
            ("[]", .malformed), ("{\"alg\":[\"HS256\"]}", .algorithm), ("", .malformed),
        ])
    func headers(_ header: String, _ error: JSONWebTokenError) {
        #expect(throws: error) { try JSONWebToken(verifying: token(header: header), key: key) }
    }

    @Test("none, and another algorithm, as PyJWT makes them") func none() throws {
        for (call, secret) in [("'', algorithm='none'", ""), ("sys.argv[1], algorithm='HS512'", testKey)] {
            let made = try PeerProgram.python("import jwt,sys; print(jwt.encode({'jti':'a'}, \(call)))", [secret])
            #expect(throws: JSONWebTokenError.algorithm) { try JSONWebToken(verifying: made, key: key) }
        }
    }

    @Test("wrong keys, cut and changed tokens") func changes() throws {
        let header = "{\"alg\":\"HS256\"}"
        let good = token(header: header)
        _ = try JSONWebToken(verifying: good, key: key)
        #expect(throws: JSONWebTokenError.signature) {
            try JSONWebToken(verifying: token(header: header, key: testKey + "x"), key: key)
        }
        let other = token(header: header, payload: "{\"jti\":\"b\"}").split(separator: ".")[1]
        let parts = good.split(separator: ".")
        for text in [
            "\(parts[0]).\(other).\(parts[2])", "\(parts[0]).\(parts[1].dropLast(4)).\(parts[2])",
            "\(parts[0]).\(parts[1]).\(parts[2].dropLast(4))", "\(parts[0]).\(parts[1]).", "\(parts[0]).\(parts[1])",
            good + ".", good + "=", good + "\n", " " + good, good.replacing(".", with: "..", maxReplacements: 1), "",
            String(repeating: "a", count: 70_000),
        ] {
            #expect(throws: JSONWebTokenError.self, "\(text.prefix(60))") {
                try JSONWebToken(verifying: text, key: key)
            }
        }
        for payload in ["[]", "1", "", "{\"jti\":\"a\",\"jti\":\"b\"}", "{", "{} {}"] {
            #expect(throws: JSONWebTokenError.malformed, "\(payload)") {
                try JSONWebToken(verifying: token(header: header, payload: payload), key: key)
            }
        }
    }
}
