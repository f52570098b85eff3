import Foundation
import Testing

/// `cardpresent sale` and `cardpresent secure-card`.
@Suite(.timeLimit(.minutes(20))) struct SaleCommandTests {
    @Test(
        "A sale with a card of each scheme is approved",
        arguments: [("visa", "VISA CREDIT", "A0000000031010"), ("mastercard", "MASTERCARD", "A0000000041010")])
    func approved(
        _ card: String, _ label: String, _ aid: String
    ) async throws {
        try await inWorkspace { place in
            let run = try await place.run(
                "sale", "12.34", "--card", card, "--vault", place.path("vault"), "--order", "order-1")
            #expect(run.status == 0)
            #expect(run.errors.isEmpty)
            #expect(run.output.hasSuffix("\nAPPROVAL\n"))
            for text in ["MERCHANT COPY", label, aid, "12.34 EUR", "APPROVED", "order-1", "**** 0119"] {
                #expect(run.output.contains(text))
            }
            #expect(run.output.contains(#/(?m)^TC +[0-9A-F]{16}$/#))
        }
    }

    @Test("A sale as JSON has a version, an outcome and no card number") func json() async throws {
        try await inWorkspace { place in
            let run = try await place.run(
                "sale", "12.34", "--json", "--order", "order-1", "--vault", place.path("vault"))
            let document = try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
            #expect(document["version"] as? Int == 1)
            #expect(document["outcome"] as? String == "approved")
            #expect(document["order"] as? String == "order-1")
            #expect(document["amount"] as? String == "12.34")
            #expect(Canary.hunt(run.output) == ["cardholder TE…"], "the till shows it to nobody else")
            let declined = try await place.run("sale", "12.05", "--json", "--vault", place.path("vault"))
            #expect(declined.status == 1)
            #expect(declined.output.contains("\"outcome\" : \"declined\""))
        }
    }

    /// Below the floor limit, a terminal without random selection asks the card to decide (EMV 4.4
    /// Book 3, 10.6).
    @Test("A sale that the card approves offline is a good one: the status is 0") func approvedOffline() async throws {
        try await inWorkspace { place in
            let terminal = try place.file(
                "terminal.json",
                """
                {"merchant": {"name": "Corner Shop"}, "terminal": {"id": "BENCH001", "currency": "EUR", "country": 276, "mode": "test"},
                 "applications": [{"preset": "visa", "floorLimit": 5000,
                   "randomSelection": {"targetPercentage": 0, "maximumPercentage": 0, "threshold": 5000}}]}
                """)
            let arguments = ["--terminal", terminal, "--vault", place.path("vault")]
            let sale = try await place.run(Executables.cardpresent, ["sale", "12.34", "--json"] + arguments)
            #expect(sale.status == 0, "\(sale.output)\(sale.errors)")
            #expect(sale.output.contains("\"outcome\" : \"storedOffline\""), "\(sale.output)\(sale.errors)")
            let record = try await place.run(
                Executables.cardpresent, ["record", "12.34", "--output", place.path("sale.apdu"), "--json"] + arguments)
            #expect(record.status == 0, "\(record.errors)")
            let document = try #require(
                try JSONSerialization.jsonObject(with: Data(record.output.utf8)) as? [String: Any])
            #expect(document["version"] as? Int == 1)
            #expect(document["trace"] as? String == place.path("sale.apdu"))
            let answer = try #require(document["sale"] as? [String: Any])
            #expect(answer["outcome"] as? String == "storedOffline")
            #expect(answer["amount"] as? String == "12.34")
            #expect(try place.text("sale.apdu").contains("# expect: approved offline"))
        }
    }

    @Test("--log keeps a log of each operation, without card data, and refuses a folder that others can read")
    func log() async throws {
        try await inWorkspace { place in
            let arguments = ["--vault", place.path("vault"), "--log", place.path("logs")]
            #expect(try await place.run(Executables.cardpresent, ["sale", "12.34"] + arguments).status == 0)
            #expect(
                try await place.run(Executables.cardpresent, ["secure-card", "register", "customer-17"] + arguments)
                    .status == 0)
            let logs = try FileManager.default.contentsOfDirectory(atPath: place.path("logs"))
            #expect(logs.count == 2)
            #expect(logs.allSatisfy { $0.hasPrefix("BENCH001-") && $0.hasSuffix(".log") })
            let texts = try logs.map { try place.text("logs/" + $0) }
            #expect(texts.contains { $0.contains(" > ") && $0.contains("12.34 EUR") }, "\(texts)")
            #expect(texts.allSatisfy { Canary.hunt($0) == [] })
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: place.path("logs"))
            let refused = try await place.run(Executables.cardpresent, ["sale", "12.34"] + arguments)
            #expect(refused.status == 2)
            #expect(refused.complaint?.contains("set its mode to 0700") == true)
        }
    }

    @Test("--terminal sells as the terminal of the file, with its data storage") func terminalFile() async throws {
        try await inWorkspace { place in
            let shop = """
                {"merchant": {"name": "Corner Shop"}, "terminal": {"id": "BENCH001", "currency": "GBP", "country": 826, "mode": "MODE"},
                 "contactless": [{"preset": "mastercard", "transactionLimit": 10001, "floorLimit": 2500,
                   "kernel": {"dataStorage": {"operator": "0102030405060708", "read": ["9F75"],
                     "slot": {"data": "504F494E5453", "info": ["volatileSlot"], "instructions": ["usableForARQC"]},
                     "after": [{"tag": "9F75", "value": "55534544"}]}}}]}
                """
            let terminal = try place.file("terminal.json", shop.replacing("MODE", with: "test"))
            let card = CardCommandTests.card("contactless/mastercard-data-storage")
            let arguments = ["sale", "30", "--tap", "--vault", place.path("vault"), "--card", card, "--terminal"]
            let run = try await place.run(
                Executables.cardpresent, arguments + [terminal, "--trace", place.path("sale.apdu")])
            #expect(run.status == 0)
            #expect(run.output.contains("Corner Shop"))
            #expect(run.output.contains("30.00 GBP"))
            // The slot was read and written, and the envelope after the cryptogram.
            for line in ["DF810B C0", "DF810E 80", "DF810F 00"] {
                #expect(run.output.contains("\nData storage \(line)\n"))
            }
            #expect(try place.text("sale.apdu").contains("80DA9F750455534544"))
            let production = try place.file("production.json", shop.replacing("MODE", with: "production"))
            let refused = try await place.run(Executables.cardpresent, arguments + [production])
            #expect(refused.status == 2)
            #expect(refused.complaint?.contains("set the mode to test (terminal.mode in a terminal's file)") == true)
            let noEnvelope = try place.file(
                "wrong.json", shop.replacing("MODE", with: "test").replacing("9F75", with: "9F36"))
            let wrong = try await place.run(Executables.cardpresent, arguments + [noEnvelope])
            #expect(wrong.status == 2)
            #expect(wrong.complaint?.contains("contactless[0].kernel.dataStorage.after[0]: a data envelope") == true)
            let contacts = try place.file(
                "none.json",
                #"{"merchant": {"name": "S"}, "terminal": {"id": "1", "currency": "EUR", "country": 276, "mode": "test"}}"#
            )
            let none = try await place.run(Executables.cardpresent, arguments + [contacts])
            #expect(none.status == 2)
            #expect(none.complaint?.contains("accepts no taps") == true)
        }
    }

    @Test("The default vault is announced when it is made") func newVault() async throws {
        try await inWorkspace { place in
            let first = try await place.run("sale", "1.00")
            #expect(first.status == 0)
            #expect(first.errors.contains("cardpresent-vault.key"))
            #expect(try await place.run("sale", "1.00").errors.isEmpty)
        }
    }

    @Test("A card whose counter goes back is declined, and the host says why") func counterGoesBack() async throws {
        try await inWorkspace { place in
            for (name, counter) in [("late", 500), ("early", 1)] {
                let file = place.path("\(name).json")
                #expect(try await place.run("card", "make", file).status == 0)
                var profile = try #require(
                    try JSONSerialization.jsonObject(with: Data(contentsOf: URL(filePath: file))) as? [String: Any])
                profile["initialATC"] = counter
                try JSONSerialization.data(withJSONObject: profile).write(to: URL(filePath: file))
            }
            let late = try await place.run(
                "sale", "1.00", "--card", place.path("late.json"), "--vault", place.path("vault"))
            #expect(late.status == 0, "\(late.output)\(late.errors)")
            let early = try await place.run(
                "sale", "1.00", "--card", place.path("early.json"), "--vault", place.path("vault"))
            #expect(early.status == 1)
            #expect(early.output.hasSuffix("\nSECURITY VIOLATION: THE CARD'S COUNTER DID NOT INCREASE\n"))
        }
    }

    @Test(
        "An amount may be whole, or have its currency",
        arguments: [("10", "10.00 EUR"), ("12.34 EUR", "12.34 EUR"), ("7 EUR", "7.00 EUR")])
    func amounts(_ typed: String, _ shown: String) async throws {
        try await inWorkspace { place in
            let run = try await place.run("sale", typed, "--vault", place.path("vault"))
            #expect(run.status == 0, "\(run.output)\(run.errors)")
            #expect(run.output.contains(shown), "\(run.output)\(run.errors)")
        }
    }

    @Test(
        "The last two digits of the amount are the test issuer's answer",
        arguments: [
            ("1.05", "DO NOT HONOUR", "05"), ("1.51", "INSUFFICIENT FUNDS", "51"), ("1.54", "EXPIRED CARD", "54"),
        ]) func declined(
            _ amount: String, _ words: String, _ code: String
        ) async throws
    {
        try await inWorkspace { place in
            let run = try await place.run("sale", amount, "--vault", place.path("vault"))
            #expect(run.status == 1)
            #expect(run.errors.isEmpty)
            #expect(run.output.hasSuffix("\n\(words)\n"))
            #expect(run.output.contains("DECLINED"))
            #expect(!run.output.contains("APPROV"))
            #expect(run.output.contains(#/(?m)^AAC +[0-9A-F]{16}$/#))
            #expect(run.output.split(separator: "\n").contains { $0.hasPrefix("ARC ") && $0.hasSuffix(" \(code)") })
            let register = try await place.run("sale", amount, "--register", "customer", "--vault", place.path("vault"))
            #expect(register.status == 1, "a declined sale keeps no card")
            #expect(!register.output.contains("Token"), "a declined sale keeps no card")
            let show = try await place.run("secure-card", "show", "customer", "--vault", place.path("vault"))
            #expect(show.status == 2)
        }
    }

    @Test("a reader that does not exist is named, and nothing is registered or sold")
    func unknownReader() async throws {
        try await inWorkspace { place in
            let vault = place.path("vault")
            for run in [
                try await place.run("secure-card", "register", "c1", "--reader", "No such reader", "--vault", vault),
                try await place.run("sale", "1.00", "--reader", "No such reader", "--vault", vault),
            ] {
                #expect(run.status == 2)
                #expect(run.output.isEmpty)
                #expect(run.complaint?.contains("0 readers match \"No such reader\"") == true, "\(run.errors)")
            }
            let edit = try await place.run("secure-card", "show", "c1", "--reader", "No such reader", "--vault", vault)
            #expect(edit.status == 64)
            #expect(edit.errors.contains("show reads no card: leave out --card, --reader and --trace"))
        }
    }

    @Test("the details of a secure card are edited without its card") func detailsAlone() async throws {
        try await inWorkspace { place in
            let vault = place.path("vault")
            #expect(try await place.run("secure-card", "register", "c1", "--vault", vault).status == 0)
            let edit = try await place.run(
                "secure-card", "edit", "c1", "--details-only", "--email", "anna@example.com", "--vault", vault)
            #expect(edit.status == 0)
            #expect(edit.output.contains("Secure Card Updated"))
            #expect(edit.output.contains("E-mail: anna@example.com"))
            #expect(edit.output.contains("Entry mode: chip"))
            let shown = try await place.document("secure-card", "show", "c1", "--vault", vault, "--json")
            let card = try #require(shown["secureCard"] as? [String: Any])
            #expect(card["merchantReference"] as? String == "c1")
            #expect(card["email"] as? String == "anna@example.com")
            #expect((card["card"] as? String)?.contains("******") == true)
            #expect(shown["description"] == nil)
            let deleted = try await place.document("secure-card", "delete", "c1", "--vault", vault, "--json")
            #expect(deleted["description"] as? String != nil)
            #expect(deleted["secureCard"] == nil)
        }
    }

    @Test func anOrderIsSoldOnce() async throws {
        try await inWorkspace { place in
            let vault = place.path("vault")
            let first = try await place.run("sale", "1.00", "--order", "once", "--vault", vault)
            #expect(first.status == 0)
            let second = try await place.run("sale", "1.00", "--order", "once", "--vault", vault)
            #expect(second.status == 2)
            #expect(second.output.isEmpty)
            #expect(second.complaint?.contains("the order was already processed") == true, "\(second.errors)")
            let declined = try await place.run("sale", "1.05", "--order", "twice", "--vault", vault)
            #expect(declined.status == 1)
            let again = try await place.run("sale", "1.00", "--order", "twice", "--vault", vault)
            #expect(again.status == 2)
        }
    }

    @Test func aKeptCardIsChargedByItsToken() async throws {
        try await inWorkspace { place in
            let vault = place.path("vault")
            let kept = try await place.run("sale", "20.00", "--register", "customer-17", "--vault", vault)
            #expect(kept.status == 0)
            let token = String(try #require(kept.output.firstMatch(of: #/\nToken ([0-9]{16})\n$/#)).1)
            for (amount, status) in [("5.00", 0), ("5.05", 1)] as [(String, Int32)] {
                let run = try await place.run("sale", amount, "--token", token, "--vault", vault)
                #expect(run.status == status)
                #expect(run.errors.isEmpty)
                #expect(run.output.contains("**** 0119"), "no chip was read")
                #expect(!run.output.contains("TVR"), "no chip was read")
            }
            let again = try await place.run("sale", "1.00", "--register", "customer-17", "--vault", vault)
            #expect(
                again.status == 0 || again.complaint?.contains("already exists") == true,
                "\(again.status) \(again.errors)")
            let deleted = try await place.run("secure-card", "delete", "customer-17", "--vault", vault)
            #expect(deleted.status == 0)
            #expect(deleted.output == "Secure Card Deleted\n")
            let late = try await place.run("sale", "5.00", "--token", token, "--vault", vault)
            #expect(late.status == 2)
            #expect(late.complaint?.contains("the secure card was deleted") == true)
        }
    }

    @Test(arguments: ["2967531234567890", "4761739001010119", "", "nonsense"]) func anUnknownToken(_ token: String)
        async throws
    {
        try await inWorkspace { place in
            let run = try await place.run("sale", "5.00", "--token", token, "--vault", place.path("vault"))
            #expect(run.status == 2)
            #expect(run.output.isEmpty)
            #expect(run.complaint?.contains("secure card not found") == true, "\(run.errors)")
            #expect(Canary.hunt(run.errors) == [])
        }
    }

    @Test func theLifeOfASecureCard() async throws {
        try await inWorkspace { place in
            let vault = ["--vault", place.path("vault")]
            func secureCard(_ arguments: String...) async throws -> Run {
                try await place.run(Executables.cardpresent, ["secure-card"] + arguments + vault)
            }
            let registered = try await secureCard("register", "customer-17", "--email", "anna@example.com")
            #expect(registered.status == 0)
            #expect(registered.output.hasPrefix("Secure Card Saved\n  Merchant reference: customer-17\n  Token: "))
            let body = registered.output.drop { $0 != "\n" }.dropFirst()
            #expect(body.contains("  Card: 476173******0119\n"))
            #expect(body.contains("  E-mail: anna@example.com\n"))
            let shown = try await secureCard("show", "customer-17")
            #expect(shown.status == 0)
            #expect(shown.output == String(body))
            let twice = try await secureCard("register", "customer-17")
            #expect(twice.status == 2)
            #expect(twice.complaint?.contains("already exists") == true)
            let edited = try await secureCard("edit", "customer-17", "--card", "mastercard", "--operator", "Ben")
            #expect(edited.status == 0)
            #expect(edited.output.hasPrefix("Secure Card Updated\n"))
            for line in ["  Card: 541333******0119\n", "  E-mail: anna@example.com\n", "  Operator: Ben\n"] {
                #expect(edited.output.contains(line))
            }
            let deleted = try await secureCard("delete", "customer-17")
            #expect(deleted.status == 0)
            for command in ["show", "edit", "delete"] {
                let gone = try await secureCard(command, "customer-17")
                #expect(gone.status == 2, "\(command)")
                #expect(gone.complaint?.contains("secure card not found") == true, "\(command)")
            }
            let new = try await secureCard("register", "customer-17")
            #expect(new.status == 0, "the reference is free again")
        }
    }

    @Test("a referral is approved with --approval-code, and declined without a terminal to ask at") func referral()
        async throws
    {
        try await inWorkspace { place in
            let vault = place.path("vault")
            let approved = try await place.run("sale", "10.02", "--approval-code", "12ab56", "--vault", vault)
            #expect(approved.status == 0, "\(approved.output)\(approved.errors)")
            #expect(approved.output.contains("12ab56"), "\(approved.output)\(approved.errors)")
            let refused = try await place.run("sale", "10.02", "--approval-code", "000000", "--vault", vault)
            #expect(refused.status == 1)
            #expect(refused.output.contains("did not give this approval code"))
            let silent = try await place.run("sale", "10.02", "--vault", vault)
            #expect(silent.status == 1)
            #expect(silent.output.contains("no approval code was given"))
            let wrong = try await place.run("sale", "10.02", "--approval-code", "12", "--vault", vault)
            #expect(wrong.status != 0)
            #expect(wrong.errors.contains("six letters or digits"))
        }
    }
}
