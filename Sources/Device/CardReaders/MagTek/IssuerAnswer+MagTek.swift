import CardCapture
import TLV

extension IssuerAnswer {
    /// `8A`, `91` and scripts. Without an answer, the device receives `Z3`: unable to go online,
    /// declined (EMV 4.4 Book 4, annex A6).
    var magTekObjects: [UInt8] {
        var builder = TLVBuilder()
        switch self {
        case .unreachable:
            builder.append(0x8A, Array("Z3".utf8))
            return builder.bytes
        case .answered(let answer):
            builder.append(0x8A, Array(answer.responseCode.utf8))
            if let data = answer.issuerAuthenticationData { builder.append(0x91, data) }
            return builder.bytes + answer.scripts.joined()
        }
    }
}
