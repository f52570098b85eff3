import Bytes
import SmartCard

/// An answer to reset from its bytes without the check byte, which is put behind them.
func checkedATR(_ hex: String) throws -> AnswerToReset {
    let bytes = try [UInt8](hex: hex)
    return try AnswerToReset(parsing: bytes + [bytes.dropFirst().reduce(0, ^)])
}
