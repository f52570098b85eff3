import CFuzzer
import JSONDocument
import Modules
import WorldNet

@c(FuzzGateway_main)
public func start(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
    run_fuzzer(count, arguments) { fuzz($0, $1) }
}

private let forms = XMLForm.exchanges.flatMap { [$0.request, $0.answer] } + [.error]
private let hash = MessageHash(secret: SecretBytes("secret".utf8))
private let now = Timestamp(secondsSince1970: 0)

/// What a gateway's client or its host may be sent: XML if it begins with `<`, JSON otherwise. What
/// is read and written again is the same.
private func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    if bytes.first == UInt8(ascii: "<") {
        guard let element = try? XMLElement(parsing: bytes) else { return 0 }
        guard (try? XMLElement(parsing: element.document)) == element else {
            fatalError("XML is another after writing")
        }
        guard let message = try? XMLMessage(element, among: forms) else { return 0 }
        _ = message.isGenuine(hash)
        for movesMoney in [false, true] { _ = message.hostError(movesMoney: movesMoney) }
        _ = try? AuthorizationRequest(message)
        _ = try? SecureCardRegistration(message)
        _ = try? message.response(requested: Money(minorUnits: 1000, currency: .euro))
        _ = try? message.orderStatus()
    } else {
        guard let document = try? JSON(parsing: bytes) else { return 0 }
        guard (try? JSON(parsing: document.document)) == document else { fatalError("JSON is another after writing") }
        for isRefund in [false, true] {
            guard let request = try? AuthorizationRequest(payment: document, isRefund: isRefund, now: now) else {
                continue
            }
            _ = try? RESTPayment.document(request, deviceType: "FUZZ", hasExtensions: true)
        }
        _ = try? SecureCardRegistration(credentials: document)
        _ = try? SecureCard(credentials: document)
        _ = try? AuthorizationResponse(answer: document, orderID: nil, requested: nil)
        _ = try? RESTTransactions.page(document)
        _ = try? AccessToken(document)
        _ = try? RESTTerminal.settings(document)
        _ = RESTError.error(status: 422, document, movesMoney: true)
    }
    return 0
}
