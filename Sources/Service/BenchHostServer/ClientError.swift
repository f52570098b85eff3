import Bytes
import CardCryptography
import PaymentTerminal

/// The text of an error for a client, and the text for the host's log.
///
/// What a failure says of the host itself (paths, codes of its database) is for its operator alone:
/// the log has it, under an identifier that the client is given.
struct ClientError {
    let identifier = SecureRandom.bytes(8).hex.lowercased()
    private let error: HostError

    init(_ error: HostError) { self.error = error }

    /// A refusal is about the request, and is told as it is.
    var told: HostError {
        guard case .failed = error.code else { return error }
        return HostError(error.code, "the host failed: its log has the reason under \(identifier)")
    }

    var logged: String {
        guard case .failed = error.code else { return "\(error.code)" }
        return "\(error.code) \(identifier): \(error.message)"
    }
}
