import CFuzzer
import IPG
import JSONDocument
import Modules

@c(FuzzIPG_main)
public func start(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
    run_fuzzer(count, arguments) { fuzz($0, $1) }
}

/// Keys of this fuzz target alone, made by openssl: the gateway and the merchant have the same one.
private let privateKey =
    "MIICXQIBAAKBgQDKw+aMhtr2rTpEecYK3BwZrgoAmZgyRFxL+TZVOOklohT0PwfeEN0deX0hQFOJA0XQ9SeYgDX9jGxrJa0j"
    + "7fkYZT+z5PXnJ6AavCzSLx/pr/lCSuQXebL6rMz5EBDrzcXTdeyDDQ6kHXon/WovlIpHsVJSG2JTz+neQdxQsNyDmQIDAQAB"
    + "AoGAcv6HUktpA11bHlqxppcOmMHLimuRlXCPp8a+ubZ9A4rYt2zH2XlW7dBo1uLUfXANuGRRAHw2IoXxNxM3Dpl4GwpppYCs"
    + "ZJsE42r3CZm/rDcTSfNJ7oyMYLJdXmKH0sx/AKUQptc6N3J8dfeKbm94kgEWp/a9N0tLBIZOwBAwFsECQQD4iOqLA1ldnRZ/"
    + "OA4eL3p0MlyPzqMf3oz2FEZdR73ORoEKxjTRcf9WNo59qQD6ryB1XN72OCd+CAi/urnG9QIDAkEA0NsLLmeNaE6gSR3XA/tN"
    + "r34oIzLBcqkHH8HzKt0W752ltBg6V5iTR2cGysy2TVPQjHUAcUdj6dXSvn/g+hpfMwJBAJ73A/2SUNCdr0wD0JPiDlLP+4BH"
    + "zPKPaF3lLfRv9KlBUzxO9m2YmpbMImuhc2zkIsCufDXESQ5FmUL47eahw30CQFIJ6K92r54MXHu8A+yldxN7O6rv0fsHGCxK"
    + "VAk/RTYkN6WxaqFj5l5CwvFATk+7n4y8nMriXwXIHvsDYkz7tO8CQQDYgysnWMPXd/ILA7JzfKjdEdiFlj2d9Y7mrqpzUXbJ"
    + "X9Bb8Dq0KqNQCwhFy083oSB6xuklnos6fMtIYA/+5Q6X"
private let publicKey =
    "MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDKw+aMhtr2rTpEecYK3BwZrgoAmZgyRFxL+TZVOOklohT0PwfeEN0deX0h"
    + "QFOJA0XQ9SeYgDX9jGxrJa0j7fkYZT+z5PXnJ6AavCzSLx/pr/lCSuQXebL6rMz5EBDrzcXTdeyDDQ6kHXon/WovlIpHsVJS"
    + "G2JTz+neQdxQsNyDmQIDAQAB"

private let key = try! RSASignatureKey(SecretBytes([UInt8](.standard, privateKey)!))
private let accounts = ["3.4", "4.1", "4.5"].map { version in
    try! IPGAccount(
        version: version, originator: 33, merchantID: MerchantID("123")!, merchantName: "Shop", currency: .euro,
        key: SecretBytes([UInt8](.standard, privateKey)!), gatewayKeys: [1: [UInt8](.standard, publicKey)!])
}
private let methods: [IPGMethod] = [.refund, .reversal, .status]

/// Whatever comes to a merchant's address, or as an answer: as it is, and signed as the gateway
/// would, so that what lies behind the signature is reached. The first byte chooses.
private func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    guard let choice = bytes.first else { return 0 }
    let account = accounts[Int(choice) % accounts.count]
    let body = Array(bytes.dropFirst())
    read(body, account)
    if let form = try? FormFields(parsing: body) {
        guard (try? FormFields(parsing: form.body)) == form else { fatalError("a form is another after writing") }
        let signed = account.signed(form)
        do throws(IPGSignatureError) { try account.verify(signed) } catch {
            // Only a field of this name that was the last one, or in another case, stays in its place.
            guard signed["Signature"] != nil else { fatalError("a form has lost its signature") }
        }
        read(signed.body, account)
    }
    if let document = try? JSON(parsing: body), case .object(let members) = document,
        let text = SignedText.text(over: members, account.generation)
    {
        let signature = key.sign(text, account.generation.hash).text(in: .standard)
        read(JSON.object(members + [JSON.Member("Signature", .text(signature))]).document, account)
    }
    return 0
}

private func read(_ body: [UInt8], _ account: IPGAccount) {
    do throws(IPGMessageError) {
        guard case .notification(let news) = try IPGNotice(parsing: body, for: account) else { return }
        var order = IPGOrder(
            try! HostedPayment(
                .purchase, orderID: news.orderID, amount: Money(minorUnits: 2345, currency: .euro), customerIP: "",
                successURL: "", cancelURL: "", notifyURL: ""))
        let rule = NotificationRule(account.generation)
        guard order.receive(news, rule) == nil else { return }
        let first = order
        guard order.receive(news, rule) == nil, order == first else { fatalError("a repetition changes an order") }
    } catch {
        guard !error.description.isEmpty, !error.description.hasSteeringCharacters else {
            fatalError("an error steers")
        }
    }
    for method in methods {
        if let answer = try? IPGAnswer(parsing: body, to: method, for: account), answer.message.hasSteeringCharacters {
            fatalError("an answer steers")
        }
    }
}
