import BackOffice
import Bytes
import CardCapture
import FormDocument
import Foundation
import PaymentTerminal
import PeerPrograms
import SeededNumbers
import Testing

/// A test key.
private let key = SecretBytes("a key for tests only".utf8)

private func fields(customer: String = "Žofie & Ada = 100 %") throws -> CallbackFields {
    var fields = CallbackFields(
        try TransactionRow(
            id: "T-1", amount: "12.34 EUR", createdAt: Timestamp(secondsSince1970: 1_773_065_109, utcOffset: 3_600),
            state: .rejected, customer: customer, maskedCardNumber: "541333******4111", cardBrand: "Mastercard"))
    fields.guwid = "C000000000000000000000"
    fields.merchantID = "M"
    fields.userID = "ada"
    fields.terminalID = "TID"
    fields.terminalSerialNumber = "SN"
    fields.merchantName = "Shop"
    fields.errorCode = "05"
    fields.errorMessage = "Do not honour"
    fields.aidLabel = "MASTERCARD"
    fields.aid = "A0000000041010"
    return fields
}

@Suite struct CallbackTests {
    /// Python's `urllib` reads the form. The names are those of Accept's guide.
    @Test("A36: Python reads the eighteen fields") func pythonReadsTheEighteenFields() throws {
        let body = String(decoding: try fields().form.body, as: UTF8.self)
        let printed = try PeerProgram.python(
            """
            import sys, urllib.parse
            for name, value in urllib.parse.parse_qsl(sys.argv[1], keep_blank_values=True, strict_parsing=True):
                print(f"{name}={value}")
            """, [body])
        #expect(
            printed.split(separator: "\n").map(String.init) == [
                "unique_id=T-1", "guwid=C000000000000000000000", "merchant_id=M", "user_id=ada", "terminal_id=TID",
                "terminal_sn=SN", "amount=1234", "currency=EUR", "created_at=2026-03-09T14:05:09Z",
                "merchant_name=Shop", "card_brand=Mastercard", "card_number=541333******4111", "state=rejected",
                "error_code=05", "error_message=Do not honour", "aid_label=MASTERCARD", "aid=A0000000041010",
                "card_holder=Žofie & Ada = 100 %",
            ])
    }

    @Test func theReceiverReadsWhatWasSent() throws {
        let sent = try fields()
        let received = try CallbackReceiver(nil).receive(sent.form.body, header: nil, now: 0)
        #expect(received.form == sent.form)
        var more = sent.form
        more.set("added_later", "1")
        #expect(try CallbackFields(parsing: more.body).form == sent.form)
    }

    @Test(arguments: CallbackFields.names) func everyFieldMustBeThere(_ name: String) throws {
        let form = try fields().form.without(name)
        #expect(throws: CallbackError.missing(name)) { try CallbackFields(parsing: form.body) }
    }

    @Test(arguments: [
        ("amount", "12.34"), ("amount", "99999999999999999999"), ("currency", "XXQ"), ("state", "paid"),
        ("card_number", "5413330089604111"), ("created_at", "2026-02-29T00:00:00Z"), ("created_at", ""),
        ("created_at", "2026-03-09T14:05:09+01:00"), ("unique_id", ""), ("merchant_name", "a\r\nb"),
        ("error_message", String(repeating: "a", count: 256)),
    ])
    func valuesThatNoCallbackHas(_ name: String, _ value: String) throws {
        var form = try fields().form
        form.set(name, value)
        #expect(throws: CallbackError.invalid(name)) { try CallbackFields(parsing: form.body) }
    }

    /// By Python's `hmac`.
    @Test func pythonMakesTheSameSignature() throws {
        let body = try fields().form.body
        let signature = try #require(CallbackSignature(key: key))
        let printed = try PeerProgram.python(
            """
            import hashlib, hmac, sys
            body = sys.argv[2].encode()
            print(f"t={sys.argv[1]},v1=" + hmac.new(b"a key for tests only", sys.argv[1].encode() + b"." + body,
                hashlib.sha256).hexdigest())
            """, ["1773065109", String(decoding: body, as: UTF8.self)])
        #expect(signature.header(for: body, now: 1_773_065_109) == printed)
        #expect(throws: Never.self) {
            try CallbackReceiver(signature).receive(body, header: printed, now: 1_773_065_109 + 300)
        }
    }

    @Test("A36: who did not sign is not believed") func whoDidNotSignIsNotBelieved() throws {
        let signature = try #require(CallbackSignature(key: key))
        let receiver = CallbackReceiver(signature)
        let body = try fields().form.body
        let header = signature.header(for: body, now: 1000)
        let stranger = try #require(CallbackSignature(key: SecretBytes("another key for tests".utf8)))
        #expect(throws: CallbackError.unsigned) { try receiver.receive(body, header: nil, now: 1000) }
        #expect(throws: CallbackError.signature) { try receiver.receive(body + [0x26], header: header, now: 1000) }
        let wrong = [
            stranger.header(for: body, now: 1000), "", "t=1000", "t=1000,v1=", header + "0", header + ",v1=00",
            header.replacingOccurrences(of: "t=1000", with: "t=1001"),
            header.replacingOccurrences(of: "t=1000", with: "t=01000"),
            header.replacingOccurrences(of: "t=1000", with: "t=99999999999999999999"),
        ]
        for header in wrong {
            #expect(throws: CallbackError.signature) { try receiver.receive(body, header: header, now: 1000) }
        }
        for now in [1301, 699, Int64.max, .min] {
            #expect(throws: CallbackError.stale) { try receiver.receive(body, header: header, now: now) }
        }
        #expect(CallbackSignature(key: SecretBytes([UInt8](repeating: 1, count: 15))) == nil)
    }

    @Test("The receiver in Python, as docs/back-office.md has it") func receiverOfThePage() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let page = try String(contentsOf: root.appending(path: "docs/back-office.md"), encoding: .utf8)
        let sample = try #require(page.firstMatch(of: /```python\n([^`]+)```/)).1
        let body = try fields().form.body
        let header = try #require(CallbackSignature(key: key)).header(for: body, now: 1000)
        let printed = try PeerProgram.python(
            "import hashlib, hmac, sys\n" + sample + """

                key, (header, body) = b"a key for tests only", sys.argv[1:]
                print(is_genuine(header, body.encode(), key, 1300), is_genuine(header, body.encode(), key, 1301),
                    is_genuine(header, body.encode() + b"&", key, 1000), is_genuine(header, body.encode(), b"", 1000))
                """, [header, String(decoding: body, as: UTF8.self)])
        #expect(printed == "True False False False")
    }

    @Test func noBytesTrapTheReceiver() throws {
        var numbers = SplitMix(seed: 21)
        let body = try fields().form.body
        for _ in 0..<2000 {
            var changed = body
            for _ in 0..<Int.random(in: 1...4, using: &numbers) {
                changed[Int.random(in: 0..<changed.count, using: &numbers)] = UInt8.random(in: 0...255, using: &numbers)
            }
            _ = try? CallbackFields(parsing: Array(changed.prefix(Int.random(in: 0...changed.count, using: &numbers))))
        }
    }

    @Test func triesComeLessAndLessOften() {
        let delays = (0...13).map { Callback.delay(after: $0) }
        #expect(delays == [0, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600, 3600, nil, nil])
        #expect(delays.compactMap { $0 }.reduce(0, +) == 12_310)
        #expect(Callback.delay(after: .min) == 0)
        #expect(Callback.delay(after: .max) == nil)
        #expect([200, 204, 299].allSatisfy { Callback.isDelivered(status: $0) })
        #expect(![199, 300, 302, 404, 500, -1].contains { Callback.isDelivered(status: $0) })
    }

    @Test func anOutboxCarriesTheBodyAsItIs() throws {
        let address = try CallbackAddress("https://shop.example/paid")
        let callback = Callback(try fields(), change: 1, to: address)
        let carried = try JSONDecoder().decode(Callback.self, from: JSONEncoder().encode(callback))
        #expect(carried == callback)
        #expect(carried.body == (try fields().form.body))
        #expect(carried.key == "callback T-1 1")
        #expect(Callback(try fields(), change: 2, to: address).key != carried.key)
    }
}

@Suite struct CallbackAddressTests {
    @Test(arguments: [
        ("https://shop.example/paid?x=1", "shop.example", UInt16(443)),
        ("HTTPS://Shop.Example:8443", "shop.example", 8443),
        ("https://8.8.8.8/", "8.8.8.8", 443), ("https://[2606:4700::1111]:1/", "2606:4700::1111", 1),
    ])
    func publicAddresses(_ url: String, _ host: String, _ port: UInt16) throws {
        let address = try CallbackAddress(url)
        #expect(address.host == host)
        #expect(address.port == port)
    }

    @Test(arguments: [
        "https://localhost/", "https://LOCALHOST/", "https://a.localhost/", "https://127.0.0.1/", "https://10.1.2.3/",
        "https://172.16.0.1/", "https://192.168.1.1/", "https://169.254.169.254/latest", "https://[::1]/",
        "https://[::ffff:10.0.0.1]/", "https://[fe80::1]/", "https://[fd00::1]/", "https://[64:ff9b::7f00:1]/",
        "https://0.0.0.0/", "https://2130706433/", "https://0x7f.1/", "https://0177.0.0.1/", "https://127.1/",
        "https://printer/", "https://office.local/", "https://localhost./", "https://office.local./",
        "https://metadata.internal/",
    ])
    func ownNetwork(_ url: String) throws {
        #expect(throws: CallbackAddressError.ownNetwork) { try CallbackAddress(url) }
    }

    @Test func permittedForTrials() throws {
        #expect(try CallbackAddress("http://127.0.0.1:8080/paid", permitsOwnNetwork: true).port == 8080)
        #expect(try CallbackAddress("http://localhost/", permitsOwnNetwork: true).port == 80)
        #expect(throws: CallbackAddressError.insecure) { try CallbackAddress("http://shop.example/") }
    }

    @Test(arguments: [
        "", "shop.example", "https://", "https:///paid", "ftp://shop.example/", "https://user@shop.example/",
        "https://shop.example@10.0.0.1/", "https://shop.example:0/", "https://shop.example:65536/",
        "https://shop.example:/",
        "https://shop.example\\@10.0.0.1/", "https://a b/", "https://ä.example/", "https://[::1", "https://[::1]x/",
        "https://a..b/", "https://a_b.example/", "https://%31.example/",
    ])
    func addressesThatAreNone(_ url: String) {
        #expect(throws: CallbackAddressError.invalid) { try CallbackAddress(url, permitsOwnNetwork: true) }
    }

    /// Python's `ipaddress` says what is global; it also reads every text.
    @Test func pythonAgrees() throws {
        var numbers = SplitMix(seed: 22)
        var texts = [
            "0.0.0.0", "9.255.255.255", "10.0.0.0", "100.63.255.255", "100.64.0.0", "100.128.0.0", "126.255.255.255",
            "127.255.255.255", "169.253.255.255", "169.254.0.0", "172.15.0.0", "172.31.255.255", "172.32.0.0",
            "192.0.1.255", "192.0.2.0", "192.167.0.0", "192.168.255.255", "198.17.0.0", "198.19.255.255",
            "198.51.100.7", "203.0.113.7", "223.255.255.255", "240.0.0.1", "255.255.255.255", "::", "::1",
            "::ffff:8.8.8.8", "::ffff:10.0.0.1", "1:2:3:4:5:6:7:8", "1::8", "2001:db8::1", "2606:4700::1111", "fc00::1",
            "fe80::1", "2001::1", "2002:808:808::1", "::1.2.3.4", "1.2.3", "1.2.3.4.5", "01.2.3.4", "256.1.1.1", ":::",
            "1::2::3", "12345::", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7::", "::1.2.3", "g::", "1:", ":1",
            "1:2:3:4:5:6:1.2.3.4", "1.2.3.4::", "",
        ]
        for _ in 0..<500 {
            texts.append(numbers.bytes(4).map { String($0) }.joined(separator: "."))
            let groups = numbers.bytes(16)
            texts.append(
                stride(from: 0, to: 16, by: 2).map { [groups[$0], groups[$0 + 1]].hex }.joined(separator: ":"))
        }
        let printed = try PeerProgram.python(
            """
            import ipaddress, sys
            for text in sys.argv[1].split(","):
                try:
                    address = ipaddress.ip_address(text)
                    print(address.packed.hex(), address.is_global)
                except ValueError:
                    print("none")
            """, [texts.joined(separator: ",")])
        let lines = printed.split(separator: "\n").map { $0.split(separator: " ") }
        try #require(lines.count == texts.count)
        for (text, line) in zip(texts, lines) {
            let address = IPAddress(text)
            #expect((address?.bytes.hex.lowercased() ?? "none") == line[0], "\(text)")
            // We refuse more: multicast, 6to4 relays, translated addresses, what is not global unicast.
            if address?.isPublic == true { #expect(line.last == "True", "\(text)") }
        }
        #expect(IPAddress("8.8.8.8")?.isPublic == true)
        #expect(IPAddress("2606:4700::1111")?.isPublic == true)
        #expect(IPAddress("::ffff:8.8.8.8")?.isPublic == true)
        #expect(IPAddress("2002:808:808::1")?.isPublic == false)
        #expect(IPAddress("2002:a00:1::1")?.isPublic == false)
        #expect(IPAddress("224.0.0.1")?.isPublic == false)
        #expect(IPAddress(bytes: [1, 2, 3]) == nil)
    }
}
