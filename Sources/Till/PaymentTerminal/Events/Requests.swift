public import CardCapture

/// The terminal wants a signature: the payment goes on once it is here.
public struct SignatureRequest: Sendable {
    /// The card that pays, masked; nil if the reader gave no card data.
    public let card: CardSummary?
    /// The amount that the cardholder signs for, tip included.
    public let amount: Money
    /// The tip within the amount; nil without one.
    public let tip: Money?
    let race = Race<Answer>()

    enum Answer {
        case signed(Signature)
        case declined
        case timedOut
    }

    /// Only the first answer is used.
    ///
    /// - Returns: Whether this was it.
    @discardableResult
    public func submit(_ signature: Signature) -> Bool { race.finish(.signed(signature)) }

    /// The cardholder does not sign: the payment is reversed.
    @discardableResult
    public func decline() -> Bool { race.finish(.declined) }
}

/// A request to the merchant to compare a signature with that on the card.
public struct SignatureVerification: Sendable {
    /// The cardholder's signature, to show for the comparison.
    public let signature: Signature
    /// The card that pays, masked; nil if the reader gave no card data.
    public let card: CardSummary?
    let race = Race<Bool?>()

    /// - Parameter isGenuine: Whether the signature matches the card; if not, the payment is
    ///   reversed.
    /// - Returns: Whether this was the first answer, which alone counts.
    @discardableResult
    public func answer(_ isGenuine: Bool) -> Bool { race.finish(isGenuine) }
}

/// The issuer requests a call before it decides (EMV 4.4 Book 4, 6.5.2.2): the attendant calls it
/// and enters its approval code.
public struct ReferralRequest: Sendable {
    /// The card that pays, masked; nil for a token.
    public let card: CardSummary?
    /// The amount to approve, tip included.
    public let amount: Money
    /// The host's message with the referral.
    public let message: String
    let race = Race<String?>()

    /// - Parameter approvalCode: Six letters or digits of ASCII (ISO 8583:1987, field 38).
    /// - Returns: Whether it is such a code and this was the first answer, which alone counts.
    ///   After a code of another form the request can still be answered.
    @discardableResult
    public func submit(approvalCode: String) -> Bool {
        let code = approvalCode.utf8
        guard code.count == 6, code.allSatisfy(\.isLetterOrDigit) else { return false }
        return race.finish(approvalCode)
    }

    /// The issuer refused, or the call was not made: the payment is declined.
    @discardableResult
    public func decline() -> Bool { race.finish(nil) }
}

extension UInt8 {
    fileprivate var isLetterOrDigit: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }
}

/// A request to the cardholder to choose one of the card's applications.
public struct ApplicationRequest: Sendable {
    /// The names of the applications, the one with the highest priority first.
    public let names: [String]
    let race = Race<Int?>()

    /// - Parameter index: An index of ``names``; an invalid one ends the transaction.
    /// - Returns: Whether this was the first answer, which alone counts.
    @discardableResult
    public func choose(_ index: Int) -> Bool { race.finish(names.indices.contains(index) ? index : nil) }

    /// Ends the transaction.
    @discardableResult
    public func cancel() -> Bool { race.finish(nil) }
}

/// Several readers were found, and the user chooses the one that the terminal works with.
public struct ReaderRequest: Sendable {
    /// A reader that was found.
    public struct Candidate: Sendable, Equatable {
        /// How a reader is connected.
        public enum Link: String, Sendable {
            /// USB, HID devices among them.
            case usb
            /// A serial port.
            case serial
            /// Bluetooth.
            case bluetooth
        }

        /// What a person calls it.
        public let name: String
        /// How it is connected.
        public let link: Link
        /// Its device: a path in `/dev`, or the Bluetooth address.
        public let place: String
        /// What its descriptors, or bluetoothd, say of it.
        public let identity: ReaderIdentity

        package init(name: String, link: Link, place: String, identity: ReaderIdentity) {
            self.name = name
            self.link = link
            self.place = place
            self.identity = identity
        }
    }

    /// The readers that can do what is requested.
    public let readers: [Candidate]
    let race = Race<Int?>()

    /// - Parameter index: Of ``readers``; one that is not there connects none.
    /// - Returns: Whether this was the first answer, which alone counts.
    @discardableResult
    public func choose(_ index: Int) -> Bool { race.finish(readers.indices.contains(index) ? index : nil) }

    /// Connects none.
    @discardableResult
    public func cancel() -> Bool { race.finish(nil) }
}
