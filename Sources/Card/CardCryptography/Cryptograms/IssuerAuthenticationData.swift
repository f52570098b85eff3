/// The issuer authentication data, tag 91, in the two codings of EMV 4.4 Book 2, 8.2.
public enum IssuerAuthenticationData: Sendable, Equatable {
    /// Method 1: ARPC (8 bytes) ‖ authorisation response code (2 bytes).
    case method1(arpc: [UInt8], responseCode: [UInt8])
    /// Method 2: ARPC (4 bytes) ‖ card status update (4 bytes) ‖ proprietary authentication data (0
    /// to 8 bytes).
    case method2(arpc: [UInt8], cardStatusUpdate: [UInt8], proprietaryData: [UInt8])

    /// The value of tag 91.
    public var bytes: [UInt8] {
        switch self {
        case .method1(let arpc, let responseCode): arpc + responseCode
        case .method2(let arpc, let cardStatusUpdate, let proprietaryData): arpc + cardStatusUpdate + proprietaryData
        }
    }
}
