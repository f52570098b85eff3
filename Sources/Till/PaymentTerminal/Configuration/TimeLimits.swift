/// The time limits of a terminal for reader, host and people.
public struct TimeLimits: Sendable, Equatable {
    /// For a reader, from the request for a card to the end of the transaction with it, including
    /// the host's part.
    public var reader: Duration
    /// For a reader that was asked to stop.
    public var standDown: Duration
    /// How long ``Terminal/cancel()`` waits for the operation to end before it answers
    /// ``CancelAnswer/cancelling``.
    public var cancel: Duration
    /// For each answer of the host.
    public var host: Duration
    /// For an inquiry about a request without an answer.
    public var inquiry: Duration
    /// For a person to sign, to verify a signature, or to choose.
    public var person: Duration
    /// For the attendant's call to the issuer. With a card in the reader, the limit for the reader
    /// ends the call too.
    public var referral: Duration
    /// Before a pending message is sent to the host in the background, and before the next attempt;
    /// doubled each time, up to a minute.
    public var retry: Duration
    /// For a message to the host to be on its way, and for the host's list to be late: before that
    /// has passed, an order that the host does not have may still arrive.
    public var transit: Duration
    /// For a search for readers.
    public var discovery: Duration
    /// For a reader to be opened.
    public var connection: Duration
    /// Between two reports of progress of a reader's update, which runs before the reader is
    /// opened.
    public var update: Duration
    /// Between two questions for the battery of a reader that has one, while no operation is in
    /// progress.
    public var battery: Duration

    /// By default 180 seconds for the reader, 5 to stop it, 1 until a cancellation is answered, 30
    /// for the host, 10 for an inquiry, 60 for a person, 120 for a call to the issuer, a first
    /// retry after one second, five minutes for a message on its way, 5 seconds for a search for
    /// readers, 15 to open one, 120 between two reports of its update, and a minute between two
    /// questions for the battery.
    public init(
        reader: Duration = .seconds(180), standDown: Duration = .seconds(5), cancel: Duration = .seconds(1),
        host: Duration = .seconds(30),
        inquiry: Duration = .seconds(10), person: Duration = .seconds(60), referral: Duration = .seconds(120),
        retry: Duration = .seconds(1), transit: Duration = .seconds(300), discovery: Duration = .seconds(5),
        connection: Duration = .seconds(15), update: Duration = .seconds(120), battery: Duration = .seconds(60)
    ) {
        self.reader = reader
        self.standDown = standDown
        self.cancel = cancel
        self.host = host
        self.inquiry = inquiry
        self.person = person
        self.referral = referral
        self.retry = retry
        self.transit = transit
        self.discovery = discovery
        self.connection = connection
        self.update = update
        self.battery = battery
    }
}
