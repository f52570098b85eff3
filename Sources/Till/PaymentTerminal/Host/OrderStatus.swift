/// The status of an order at a host.
public enum OrderStatus: Sendable {
    /// It has not arrived, but may still arrive.
    case notSeen
    /// It has arrived, but is not decided.
    case pending
    /// It was decided; with the answer that the terminal did not receive.
    case decided(AuthorizationResponse)
    /// It was reversed, or a reversal arrived first and blocks it.
    case reversed
}
