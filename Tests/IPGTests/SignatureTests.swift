import Bytes
import FormDocument
import JSONDocument
import OpenSSLKeys
import PaymentTerminal
import Testing

@testable import IPG

/// Signatures that openssl makes, and checks.
@Suite struct SignatureTests {
    private func payment() throws -> HostedPayment {
        try HostedPayment(
            .purchase, orderID: #require(IPGOrderID("A-1")), amount: "23.45 EUR", customerIP: "127.0.0.1",
            successURL: "https://shop.example/ok", cancelURL: "https://shop.example/cancel",
            notifyURL: "https://shop.example/notify")
    }

    @Test("openssl verifies what a merchant signs", arguments: SignatureGeneration.allCases)
    func signs(_ generation: SignatureGeneration) throws {
        let form = try FormFields(parsing: account(generation).request(payment()).body)
        #expect(form.all.last?.name == "Signature")
        let signature = try #require([UInt8](.standard, form["Signature"] ?? ""))
        let text = String(decoding: SignedText.text(over: form.without("Signature"), generation), as: UTF8.self)
        let key = try TestKey.merchant()
        #expect(try OpenSSL().verifies(signature, over: text, key, hash: generation.opensslHash))
        #expect(try !OpenSSL().verifies(signature, over: text + "x", key, hash: generation.opensslHash))
    }

    @Test("what openssl signs is taken", arguments: SignatureGeneration.allCases)
    func verifies(_ generation: SignatureGeneration) throws {
        let form = try gatewayForm(Published.purchase, generation)
        try account(generation).verify(FormFields(parsing: form.body))
    }

    @Test("a key in DER, PKCS #1 and PKCS #8") func derKeys() throws {
        let openssl = try OpenSSL()
        try openssl.write("key", try TestKey.merchant().privateKey)
        try openssl.write("pub", try TestKey.gateway().publicKey)
        for arguments in [["rsa", "-traditional"], ["pkcs8", "-topk8", "-nocrypt"]] {
            try #require(try openssl.run(arguments + ["-in", "key", "-outform", "DER", "-out", "der"]) == 0)
            try #require(try openssl.run("pkey", "-pubin", "-in", "pub", "-outform", "DER", "-out", "pubder") == 0)
            _ = try IPGAccount(
                version: "3.4", originator: 33, merchantID: #require(MerchantID("112")), merchantName: "Shop",
                currency: .euro, key: SecretBytes(openssl.read("der")), gatewayKeys: [1: openssl.read("pubder")])
        }
    }

    @Test("signatures of the wrong key, generation or merchant are refused", arguments: SignatureGeneration.allCases)
    func refusesKeys(_ generation: SignatureGeneration) throws {
        let old = try gatewayForm(Published.purchase, generation, key: .retired())
        #expect(throws: IPGSignatureError.wrong) { try account(generation).verify(old) }
        // The merchant's own signature is not the gateway's.
        let own = try gatewayForm(Published.purchase, generation, key: .merchant())
        #expect(throws: IPGSignatureError.wrong) { try account(generation).verify(own) }
        for other in SignatureGeneration.allCases where other != generation {
            let form = try gatewayForm(Published.purchase, other)
            #expect(throws: IPGSignatureError.wrong) { try account(generation).verify(form) }
        }
    }

    @Test("a signature that is missing, doubled, not last or no base64", arguments: SignatureGeneration.allCases)
    func refusesForms(_ generation: SignatureGeneration) throws {
        let account = try account(generation)
        let form = try gatewayForm(Published.rollback, generation)
        #expect(throws: IPGSignatureError.unsigned) { try account.verify(form.without("Signature")) }
        #expect(throws: FormError.doubled) { try FormFields(parsing: form.body + Array("&signature=x".utf8)) }
        var changed = form
        changed.set("Signature", "kcBs8LoJkXZlclhpykaWIx............")
        #expect(throws: IPGSignatureError.notBase64) { try account.verify(changed) }
        changed.set("Signature", (form["Signature"] ?? "").replacing("+", with: " ") + " ")
        #expect(throws: IPGSignatureError.spaces) { try account.verify(changed) }
        let first = try FormFields([form.all.last].compactMap(\.self) + form.all.dropLast())
        if generation == .sorted {
            try account.verify(first)
        } else {
            #expect(throws: IPGSignatureError.notLast) { try account.verify(first) }
        }
    }

    @Test("a changed value, a field more, less or elsewhere", arguments: SignatureGeneration.allCases)
    func refusesChanges(_ generation: SignatureGeneration) throws {
        let account = try account(generation)
        let signed = try gatewayForm(Published.purchase, generation).all
        for place in signed.indices.dropLast() {
            var changed = signed
            changed[place] = FormFields.Field(signed[place].name, signed[place].value + "1")
            #expect(throws: IPGSignatureError.wrong) { try account.verify(FormFields(changed)) }
            changed.remove(at: place)
            #expect(throws: IPGSignatureError.wrong) { try account.verify(FormFields(changed)) }
            changed = signed
            changed.insert(FormFields.Field("Extra", "1"), at: place)
            #expect(throws: IPGSignatureError.wrong) { try account.verify(FormFields(changed)) }
            guard place > 0 else { continue }
            changed = signed
            changed.swapAt(place, place - 1)
            // The order is signed in the older generations; 4.5 sorts.
            if generation == .sorted {
                try account.verify(FormFields(changed))
            } else {
                #expect(throws: IPGSignatureError.wrong) { try account.verify(FormFields(changed)) }
            }
        }
    }
}
