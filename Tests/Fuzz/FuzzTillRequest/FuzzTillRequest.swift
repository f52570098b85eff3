import Bytes
import CFuzzer
import JSONDocument
import Modules

@c(FuzzTillRequest_main)
public func start(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
    run_fuzzer(count, arguments) { fuzz($0, $1) }
}

/// A till's request: it is read, or refused with its place on one line.
private func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    do throws(DocumentError) {
        let request = try TillRequest(parsing: Array(UnsafeBufferPointer(start: start, count: count)))
        if let id = request.id { precondition((1...64).contains(id.unicodeScalars.count)) }
        switch request.content {
        case .sale(let sale):
            precondition(sale.amount.minorUnits >= 0 && (1...24).contains(sale.orderID.text.unicodeScalars.count))
            precondition(sale.terms.tip.map { $0.currency == sale.amount.currency } ?? true)
        case .transactions(let query): precondition((1...100).contains(query.pageSize))
        case .answer(_, .approvalCode(let code)): precondition(code.utf8.count == 6)
        default: break
        }
    } catch {
        precondition(
            !error.message.isEmpty && !error.description.hasSteeringCharacters && error.description.utf8.count < 2000)
    }
    return 0
}
