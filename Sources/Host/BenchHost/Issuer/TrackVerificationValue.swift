import Bytes
import CardCryptography

/// dCVV in the track of a Visa card in mag-stripe mode, on the issuer's side: its transaction, and
/// whether it is genuine.
///
/// Where the track has counter and code is our own, as for the virtual card: behind the service
/// code, four and three digits. The counter is the next one after the last accepted that ends with
/// these digits. The code covers no more of it than they say, so that a track that is sent again
/// has the code of a counter 10,000 later: a counter may be at most ``greatestStep`` ahead.
struct TrackVerificationValue {
    /// Taps of a card that the issuer may not have heard of.
    static let greatestStep = 1000

    private let pan: AccountNumber
    /// YYMM, ASCII digits.
    private let expiry: [UInt8]
    private let key: CardKey
    /// The last four decimal digits of the counter.
    private let counter: Int
    /// ASCII digits.
    private let code: [UInt8]

    /// Nil if the track has no room for the digits.
    ///
    /// - Parameter track: Track 2 in ASCII, without sentinels.
    init?(track: SecretBytes, masterKey: CardKey) {
        var characters = track.revealed()
        defer { wipe(&characters) }
        guard let separator = characters.firstIndex(of: UInt8(ascii: "=")),
            let pan = AccountNumber(ascii: Array(characters[..<separator])),
            characters.count >= separator + 15,
            characters.indices.allSatisfy({ $0 == separator || (0x30...0x39).contains(characters[$0]) }),
            // Hardware security modules derive this key as if the sequence number were zero: the
            // track has none.
            let key = try? MasterKeyDerivation.optionA.cardMasterKey(from: masterKey, pan: pan, panSequenceNumber: 0)
        else { return nil }
        self.pan = pan
        self.key = key
        // ordered: constants behind the separator
        expiry = Array(characters[(separator + 1)...(separator + 4)])
        // ordered: constants behind the separator
        counter = characters[(separator + 8)...(separator + 11)].reduce(0) { $0 * 10 + Int($1 & 0x0F) }
        // ordered: constants behind the separator
        code = Array(characters[(separator + 12)...(separator + 14)])
    }

    /// The counter of the transaction; nil if the code is wrong for the next counter after `last`
    /// that ends with the track's digits, or if that is too far ahead.
    func counter(after last: UInt16?) -> UInt16? {
        let lowest = Int(last ?? 0) + 1
        let steps = (counter - lowest % 10_000 + 10_000) % 10_000
        guard last == nil || steps < Self.greatestStep, let candidate = UInt16(exactly: lowest + steps),
            let expected = try? DynamicVerificationValue.compute(
                pan: pan, expiry: expiry, counter: candidate, key: key), expected == code
        else { return nil }
        return candidate
    }
}
