/// What a host knows of an order.
public enum OrderStatus: Sendable {
    /// It has not come, and may still be on its way.
    case notSeen
    /// It has come and is not decided.
    case pending
    /// The answer that the terminal did not get.
    case decided(AuthorizationResponse)
    /// It was reversed, or a reversal came before it and keeps it out.
    case reversed
}
