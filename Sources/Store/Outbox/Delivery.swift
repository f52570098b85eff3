private import Bytes

/// Something that is to be delivered: a mail, a callback, a notification.
///
/// A pure state machine: `waiting` → `attempting` → `delivered`, `givenUp`, or `waiting` again.
public struct Delivery: Sendable, Equatable {
    public let key: DeliveryKey
    /// What delivers it: `mail`.
    public let kind: String
    public let payload: [UInt8]
    public private(set) var state: State

    /// What is stored with each change.
    public struct State: Sendable, Equatable, Codable {
        public enum Phase: String, Sendable, Codable, CaseIterable {
            /// To be tried from ``State/time`` on.
            case waiting
            /// Being tried since ``State/time``; its end is not known yet.
            case attempting
            /// Since ``State/time``.
            case delivered
            /// Not tried any more since ``State/time``.
            case givenUp
        }

        public internal(set) var phase: Phase
        /// Seconds since 1970.
        public internal(set) var time: Int64
        /// How many were begun.
        public internal(set) var attempts = 0
        /// How many of the attempts before the last one may have arrived, without an answer.
        public internal(set) var uncertain = 0
        /// Why the last attempt did not succeed, on one line.
        public internal(set) var fault: String?
    }

    /// The end of an attempt, as far as it is known.
    public enum Result: Sendable, Equatable {
        case delivered
        /// It has certainly not arrived, and may later.
        case failed(String)
        /// It has certainly not arrived, and never will.
        case refused(String)
        /// It may have arrived: the answer did not come.
        case unknown(String)
    }

    /// What can be said of a delivery. Nothing that may have arrived twice is `once`.
    public enum Certainty: String, Sendable, CaseIterable {
        /// It has not arrived, and is still to be tried.
        case notYet
        /// It may have arrived, and is still to be tried.
        case perhapsAlready
        case once
        /// It has arrived, and an attempt before may have arrived, too.
        case perhapsTwice
        /// It was given up, and has not arrived.
        case never
        /// It was given up, and may have arrived.
        case perhapsOnce
    }

    package init(_ key: DeliveryKey, kind: String, payload: [UInt8], state: State) {
        self.key = key
        self.kind = kind
        self.payload = payload
        self.state = state
    }

    public var certainty: Certainty {
        switch state.phase {
        case .waiting: state.uncertain == 0 ? .notYet : .perhapsAlready
        case .attempting: .perhapsAlready
        case .delivered: state.uncertain == 0 ? .once : .perhapsTwice
        case .givenUp: state.uncertain == 0 ? .never : .perhapsOnce
        }
    }

    // MARK: Changes

    /// Begins an attempt. It is to be stored before anything is sent.
    ///
    /// - Throws: ``OutboxError/notDue`` unless the delivery waits and its time has come.
    package mutating func begin(at now: Int64) throws(OutboxError) {
        guard state.phase == .waiting, state.time <= now else { throw .notDue }
        // At most the attempts of the policy.
        state.attempts += 1
        state.phase = .attempting
        state.time = now
    }

    /// - Parameters:
    ///   - attempt: Its number, from 1.
    ///   - jitter: As of ``RetryPolicy/delay(after:jitter:)``.
    /// - Throws: ``OutboxError/notAttempted`` if that attempt is not in progress.
    package mutating func end(
        attempt: Int, _ result: Result, at now: Int64, policy: RetryPolicy, jitter: UInt16
    ) throws(OutboxError) {
        guard state.phase == .attempting, state.attempts == attempt else { throw .notAttempted }
        state.fault = nil
        state.time = now
        switch result {
        case .delivered: state.phase = .delivered
        case .refused(let fault):
            state.fault = Self.line(fault)
            state.phase = .givenUp
        case .failed(let fault): wait(fault, policy, jitter)
        case .unknown(let fault):
            state.uncertain += 1
            wait(fault, policy, jitter)
        }
    }

    private mutating func wait(_ fault: String, _ policy: RetryPolicy, _ jitter: UInt16) {
        state.fault = Self.line(fault)
        guard state.attempts < policy.maximumAttempts else { return state.phase = .givenUp }
        state.phase = .waiting
        state.time = state.time.saturatingAdding(policy.delay(after: state.attempts, jitter: jitter))
    }

    private static func line(_ text: String) -> String { text.onOneLine(atMost: 300) }
}
