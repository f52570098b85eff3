import CFuzzer
import JSONDocument
import Modules
import ThreeDSecure

@c(FuzzThreeDSecure_main)
public func start(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
    run_fuzzer(count, arguments) { fuzz($0, $1) }
}

private let key = SecretBytes("11111111-2222-3333-4444-555555555555".utf8)
private let account = try! CardinalAccount(identifier: "i", organization: "o", key: key)
private let request = TokenRequest(id: "r", orderNumber: "A", amount: Money(minorUnits: 2345, currency: .euro))
private let now: Int64 = 1_471_014_500

/// An answer of Cardinal if it begins with `<`; a token's claims if with `{`, signed here, so that
/// what lies behind the signature is reached; a whole token otherwise.
private func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    var flow = AuthenticationFlow(request, brand: .visa)
    _ = flow.next(.setUp(sessionID: "s"))
    _ = flow.next(.deviceData(isComplete: true))
    switch bytes.first {
    case UInt8(ascii: "<"):
        guard let answer = try? CardinalAnswer(parsing: bytes) else { return 0 }
        check(answer.values)
        let effect = flow.next(.lookedUp(answer))
        if case .challenge(let challenge)? = effect {
            guard answer.values.status == .challenge, answer.values.version?.hasPrefix("2") == true,
                answer.values.enrolled == .yes, challenge.url.map({ $0.hasPrefix("https://") }) ?? true
            else { fatalError("a challenge begins without its conditions") }
        }
        check(flow, answer.values)
    case UInt8(ascii: "{"):
        guard let claims = try? JSON(parsing: bytes) else { return 0 }
        let token = JSONWebToken(claims: claims).signed(key: key)
        guard
            token.utf8.count > JSONWebToken.maximumSize
                || (try? JSONWebToken(verifying: token, key: key))?.claims == claims
        else { fatalError("a token is another after writing") }
        var taken = TakenTokens()
        guard let response = try? account.verify(token, answering: "r", now: now, taken: &taken) else { return 0 }
        check(response.values)
        guard (try? account.verify(token, answering: "r", now: now, taken: &taken)) == nil else {
            fatalError("a token is taken twice")
        }
    default:
        let text = String(decoding: bytes, as: UTF8.self)
        var taken = TakenTokens()
        _ = try? account.verify(text, answering: "r", now: now, taken: &taken)
    }
    return 0
}

private func check(_ values: AuthenticationValues) {
    guard values.cardholderInfo.map({ !$0.hasSteeringCharacters }) ?? true else { fatalError("a text steers") }
    guard values.authenticationValue.map({ $0.rawValue.utf8.count == 28 }) ?? true else { fatalError("a long value") }
}

private func check(_ flow: AuthenticationFlow, _ values: AuthenticationValues) {
    guard case .authorize? = flow.outcome else { return }
    guard values.isSignatureRight == true, values.authenticationValue != nil, values.eci != nil,
        values.status == .authenticated || values.status == .attempted
    else { fatalError("authorized without a proof") }
}
