/// The limits for each client, so that other clients are still served.
public struct ServerLimits: Sendable {
    /// A maximum rate.
    public struct Rate: Sendable {
        public var perSecond: Double
        /// The maximum number at once, after a pause.
        public var burst: Int

        public init(perSecond: Double, burst: Int) {
            self.perSecond = perSecond
            self.burst = burst
        }
    }

    /// All headers of a request, with its target, in bytes. A longer request is answered with 400,
    /// and the connection closed.
    public var headerBytes = 16_384
    public var headerFields = 64
    /// The body of a request, in bytes. A longer one is answered with 413.
    public var bodyBytes = 65_536
    /// How long a connection may be idle, and how long the head of a further request may take.
    public var idle: Duration = .seconds(60)
    /// How long the head of a connection's first request may take, the handshake of TLS included.
    public var head: Duration = .seconds(10)
    /// The maximum number of connections that wait for a request, or for the rest of one, and have
    /// had none with valid credentials. A further one closes another: of the address that has most
    /// of them, the oldest. So they leave room for others, of all ``connections``.
    public var unproven = 64
    /// How long the body of a request may take, and how long the client may take to read the
    /// answer.
    public var exchange: Duration = .seconds(30)
    /// The time for an incomplete request when the server ends.
    public var ending: Duration = .seconds(3)
    /// The maximum number of connections; others wait in the system's queue.
    public var connections = 256
    /// The maximum number of valid access tokens for one API key; the oldest is removed first.
    public var tokens = 256
    /// The rate of requests of one terminal (XML) or API key (REST). A request beyond it is
    /// answered with 429. Nil for no limit.
    public var requests: Rate? = Rate(perSecond: 500, burst: 2000)
    /// The rate of requests without valid credentials from one address. Beyond it, such requests
    /// are answered with 429 instead of the reason; others from there are served. Nil for no limit.
    public var refusals: Rate? = Rate(perSecond: 10, burst: 100)

    public init() {}
}
