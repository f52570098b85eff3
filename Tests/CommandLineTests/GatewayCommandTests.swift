import Foundation
import Testing

/// The commands of a till at a gateway.
@Suite(.timeLimit(.minutes(20))) struct GatewayCommandTests {
    private static let card = "4111 1111 1111 1111\n1230\n123\n"

    @Test("over REST a till sells, refunds, captures, reverses, keeps cards and lists") func rest() async throws {
        try await inWorkspace { place in
            try await ServedHost.served(place) { host in
                func till(_ arguments: String..., input: String? = nil) async throws -> Run {
                    try await place.run(Executables.cardpresent, arguments + host.rest(place), input: input)
                }
                func document(_ arguments: String..., input: String? = nil) async throws -> [String: Any] {
                    let run = try await place.run(
                        Executables.cardpresent, arguments + ["--json"] + host.rest(place), input: input)
                    return try #require(
                        try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any],
                        "\(run.errors)")
                }
                let settings = try await till("settings")
                #expect(settings.output.contains("Terminal       BENCH001\n"), "\(settings.errors)")

                let sale = try await document("sale", "12.34", "--order", "o-1")
                #expect(sale["outcome"] as? String == "approved")
                #expect(sale["cardholderName"] as? String == "TEST/CARDHOLDER")
                #expect(sale["expiry"] as? String == "1249")
                #expect((sale["application"] as? [String: Any])?["label"] as? String == "VISA CREDIT")
                let reference = try #require(sale["uniqueReference"] as? String)

                let twice = try await document("sale", "12.34")
                #expect(twice["outcome"] as? String == "declined", "E7: a possible duplicate")
                #expect(twice["declineCode"] as? Int == 4094, "E13")
                #expect(try await till("sale", "12.34", "--allow-duplicate").status == 0)

                let refund = try await document("refund", "1.00", "--transaction", reference)
                #expect(refund["outcome"] as? String == "approved")
                let refused = try await till("refund", "100.00", "--transaction", reference)
                #expect(refused.status == 2, "more than was paid")

                let keyed = try await till("sale", "3.00", "--keyed", "--order", "o-2", input: Self.card)
                #expect(keyed.status == 0, "\(keyed.errors)")
                #expect(!keyed.output.contains("4111111111111111"))
                let referred = try await document(
                    "sale", "3.02", "--keyed", "--approval-code", "123456", input: Self.card)
                #expect(referred["outcome"] as? String == "approved", "the issuer is called for a keyed card, too")
                let reversed = try await till("reverse", "o-2")
                #expect(reversed.status == 0, "\(reversed.errors)")
                #expect(try await till("reverse", "o-9").status == 2, "unknown")

                let reserved = try await document("sale", "30.00", "--pre-authorization")
                let original = try #require(reserved["uniqueReference"] as? String)
                let captured = try await document("capture", original, "25.00")
                #expect(captured["amount"] as? String == "25.00")

                let kept = try await till("secure-card", "register", "c-1", "--keyed", input: Self.card)
                #expect(kept.output.contains("Security check: cvvValidated"), "\(kept.errors)")
                let shown = try await document("secure-card", "show", "c-1")
                let token = try #require((shown["secureCard"] as? [String: Any])?["token"] as? String)
                #expect(try await till("sale", "4.00", "--token", token).status == 0)
                let edited = try await till(
                    "secure-card", "edit", "c-1", "--details-only", "--email", "ann@example.com")
                #expect(edited.output.contains("E-mail: ann@example.com"), "\(edited.errors)")
                #expect(try await till("refund", "4.00", "--token", token).status == 0)
                #expect(try await till("secure-card", "delete", "c-1").status == 0)

                let listed = try await document("transactions", "--state", "reversed")
                let records = try #require(listed["transactions"] as? [[String: Any]])
                #expect(records.map { $0["order"] as? String } == ["o-2"])
                let first = try await document("transactions", "--limit", "3")
                let next = try #require(first["next"] as? String)
                let second = try await document("transactions", "--limit", "3", "--next", next)
                let orders = [first, second].flatMap { $0["transactions"] as? [[String: Any]] ?? [] }.compactMap {
                    $0["order"] as? String
                }
                #expect(Set(orders).count == 6)

                let piped = try await till(
                    "till", input: #"{"request":"inquiry","id":"1","order":"o-1"}"# + "\n")
                #expect(piped.output.contains(#""message":"payment","id":"1""#), "\(piped.output)\(piped.errors)")
            }
            let pending = try await place.run(
                "journal", "pending", place.path("till"), "--key", place.path("journal.key"))
            #expect(pending.output == "nothing is pending\n")
        }
    }

    @Test("over XML a till sells keyed cards, in a terminal with several currencies too", arguments: [false, true])
    func xml(_ hasSeveralCurrencies: Bool) async throws {
        let option = ["--hash-covers-currency"]
        try await inWorkspace { place in
            try await ServedHost.served(place, seed: hasSeveralCurrencies ? option : []) { host in
                func sale(_ more: [String]) async throws -> Run {
                    try await place.run(
                        Executables.cardpresent, ["sale", "4.00", "--keyed"] + more + host.xml(place), input: Self.card)
                }
                let right = try await sale(hasSeveralCurrencies ? option : [])
                #expect(right.status == 0, "\(right.errors)")
                let wrong = try await sale(hasSeveralCurrencies ? [] : option)
                #expect(wrong.status == 2)
                #expect(wrong.errors.contains("HASH"), "\(wrong.errors)")
                let settings = try await place.run(Executables.cardpresent, ["settings"] + host.xml(place))
                #expect(settings.complaint?.contains("use its REST interface") == true)
            }
        }
    }

    @Test(
        "what cannot be asked is said in one line, and nothing is charged",
        arguments: [
            (nil, "4111111111111112\n1230\n", "line 1: "), (nil, "4111111111111111\n1330\n", "line 2 is not an expiry"),
            (nil, "4111111111111111\n1230\n12\n", "line 3 is not a CVV"), (nil, "", "standard input has no card"),
            (nil, "4111111111111111", "standard input has no card"),
            (nil, String(repeating: "4", count: 100), "at most 64 characters"),
            ("http://192.0.2.1/merchant", card, "http"), (nil, card, "connection was refused"),
        ] as [(String?, String, String)])
    func refused(_ url: String?, _ input: String, _ words: String) async throws {
        try await inWorkspace { place in
            _ = try place.secret("api.key", "key\n")
            _ = try place.secret("journal.key", String(repeating: "5a", count: 32) + "\n")
            let shown = try await place.run("config", "show")
            _ = try place.file("terminal.json", shown.output)
            let host = ServedHost(url: url ?? "http://127.0.0.1:1/merchant")
            let run = try await place.run(
                Executables.cardpresent, ["sale", "1.00", "--keyed"] + host.rest(place), input: input)
            #expect(run.status == 2, "\(run.output)")
            #expect(run.complaint?.contains(words) == true, "\(run.errors)")
            #expect(!run.errors.contains("411111111111111"))
        }
    }

    @Test(
        "options that do not go together are refused",
        arguments: [
            ["sale", "1.00", "--gateway", "https://gateway.example"], ["settings", "--api-key-file", "k"],
            ["settings", "--gateway", "https://gateway.example", "--api-key-file", "k"],
            ["sale", "1.00", "--token", "1", "--keyed"], ["sale", "1.00", "--keyed", "--language", "de"],
            ["sale", "1.00", "--keyed", "--card", "visa"],
            ["refund", "1.00", "--transaction", "1", "--token", "2"],
            ["refund", "1.00", "--transaction", "1", "--reader", "x"], ["transactions", "--limit", "0"],
            ["transactions", "--state", "lost"],
        ])
    func contradictions(_ arguments: [String]) async throws {
        try await inWorkspace { place in
            let run = try await place.run(Executables.cardpresent, arguments)
            #expect(run.status == 64, "\(run.errors)")
            #expect(!place.exists("cardpresent-vault"))
        }
    }
}
