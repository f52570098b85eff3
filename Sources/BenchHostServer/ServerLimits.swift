/// What one client can take of the server, so that the others are still served.
public struct ServerLimits: Sendable {
    /// How often something may happen.
    public struct Rate: Sendable {
        public var perSecond: Double
        /// How many may come at once, after a pause.
        public var burst: Int

        public init(perSecond: Double, burst: Int) {
            self.perSecond = perSecond
            self.burst = burst
        }
    }

    /// All headers of a request, with its target, in bytes. A request with more is answered 400, and the connection closed.
    public var headerBytes = 16_384
    public var headerFields = 64
    /// The body of a request, in bytes. A request with more is answered 413.
    public var bodyBytes = 65_536
    /// How long a connection may lie idle, and how long the head of a request may take.
    public var idle: Duration = .seconds(60)
    /// How long the body of a request may take, and how long the client may take to read the answer.
    public var exchange: Duration = .seconds(30)
    /// How long a request that is not there yet has when the server ends.
    public var ending: Duration = .seconds(3)
    /// Connections at once; others wait in the system's queue.
    public var connections = 256
    /// Good access tokens for one API key; the oldest is forgotten first.
    public var tokens = 256
    /// Of one terminal (XML) or API key (REST). A request beyond it is answered 429. Nil for no limit.
    public var requests: Rate? = Rate(perSecond: 500, burst: 2000)
    /// Requests without valid credentials, of one address. Beyond it every request from there is answered 429. Nil for no limit.
    public var refusals: Rate? = Rate(perSecond: 10, burst: 100)

    public init() {}
}
