import CFuzzer
import JSONDocument
import Modules

@c(FuzzPlans_main)
public func start(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
    run_fuzzer(count, arguments) { fuzz($0, $1) }
}

/// A test plan is read or refused with its place; every card that it names is a plan's own text.
private func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    do throws(DocumentError) {
        let plan = try TestPlan(parsing: text) { _ in text }
        precondition(!plan.cases.isEmpty && Set(plan.cases.map(\.name)).count == plan.cases.count)
    } catch {
        precondition(!error.description.isEmpty)
    }
    return 0
}
