import CFuzzer
import Modules

@c(FuzzATR_main)
public func start(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
    run_fuzzer(count, arguments) { fuzz($0, $1) }
}

/// Bytes that may be an answer to reset: an answer accounts for every one of them, and EMV's
/// parameters are within their limits.
private func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
    do {
        let answer = try AnswerToReset(parsing: bytes)
        let interface = answer.interfaceBytes.reduce(0) { count, group in
            count + [group.ta, group.tb, group.tc, group.td].count { $0 != nil }
        }
        let rest = bytes.count - 2 - interface - answer.historicalBytes.count
        precondition(rest == 0 || rest == 1, "all that is left is a check byte")
        precondition(!answer.protocols.isEmpty)
        for reset in [AnswerToReset.Reset.cold, .warm] {
            guard let parameters = try? answer.emvParameters(after: reset) else { continue }
            precondition([1, 2, 4].contains(parameters.rate.adjustment))
            precondition((0...255).contains(parameters.extraGuardTime))
            // What is said of T=1 counts if it is spoken.
            precondition(parameters.transmissionProtocol == .t0 || (16...254).contains(parameters.informationFieldSize))
            precondition(answer.protocols.contains(parameters.transmissionProtocol.rawValue))
        }
    } catch {
        precondition(!error.description.isEmpty)
    }
    return 0
}
