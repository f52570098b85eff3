private import Bytes

/// The kind of card of a stripe.
public enum MagstripeContent: Sendable {
    case payment(PaymentMagstripe)
    case license(LicenseMagstripe)
    /// Another kind of card, such as a hotel key or a membership card; or nothing could be read.
    case other
}

/// The tracks of a payment card; each is nil if it was not read, or an error if it is malformed.
public struct PaymentMagstripe: Sendable {
    public let track1: Result<Track1, TrackFormatError>?
    public let track2: Result<Track2, TrackFormatError>?
    public let track3: Result<Track3, TrackFormatError>?

    init(_ swipe: Swipe) {
        track1 = parsed(swipe.track1) { text throws(TrackFormatError) in try Track1(text) }
        track2 = parsed(swipe.track2) { text throws(TrackFormatError) in try Track2(text) }
        track3 = parsed(swipe.track3) { text throws(TrackFormatError) in try Track3(text) }
    }

    /// The fields in which tracks 1 and 2 contradict each other; empty if one of them is missing.
    public var contradictions: [SharedTrackField] {
        guard let one = try? track1?.get(), let two = try? track2?.get() else { return [] }
        return one.contradictions(to: two)
    }
}

/// The tracks of a North American driver's license or identification card (AAMVA).
public struct LicenseMagstripe: Sendable {
    public let track1: Result<LicenseTrack1, TrackFormatError>?
    public let track2: Result<LicenseTrack2, TrackFormatError>?
    public let track3: Result<LicenseTrack3, TrackFormatError>?

    init(_ swipe: Swipe) {
        track1 = parsed(swipe.track1) { text throws(TrackFormatError) in try LicenseTrack1(text) }
        track2 = parsed(swipe.track2) { text throws(TrackFormatError) in try LicenseTrack2(text) }
        track3 = parsed(swipe.track3) { text throws(TrackFormatError) in try LicenseTrack3(text) }
    }
}

private func parsed<Track>(
    _ reading: TrackReading, _ parse: (TrackText) throws(TrackFormatError) -> Track
) -> Result<Track, TrackFormatError>? {
    guard let text = reading.text else { return nil }
    do throws(TrackFormatError) {
        return .success(try parse(text))
    } catch {
        return .failure(error)
    }
}

extension Swipe {
    /// Determined by the issuer on track 2; without track 2 by track 1, which begins with B and a
    /// digit on a payment card, and with two letters and parts of a name on a license; without both
    /// by track 3.
    public var content: MagstripeContent {
        if let text = track2.text {
            return LicenseIssuer.isOne(text.first(6)) ? .license(LicenseMagstripe(self)) : payment
        }
        if let text = track1.text {
            let start = text.first(2)
            if start.first == UInt8(ascii: "B"), start.last.map(isDigit) == true { return payment }
            let isLicense = (try? LicenseTrack1(text)).map { !$0.givenNames.isEmpty } ?? false
            return isLicense ? .license(LicenseMagstripe(self)) : .other
        }
        return payment
    }

    /// ``MagstripeContent/other`` if no track has an account number in the position of a payment
    /// card.
    private var payment: MagstripeContent {
        let stripe = PaymentMagstripe(self)
        let isPayment =
            stripe.track1.map(hasAccount) == true || stripe.track2.map(hasAccount) == true
            || stripe.track3.map(hasAccount) == true
        return isPayment ? .payment(stripe) : .other
    }

    private func hasAccount<Track>(_ track: Result<Track, TrackFormatError>) -> Bool {
        switch track {
        case .success, .failure(.name), .failure(.expiry), .failure(.serviceCode), .failure(.discretionaryData),
            .failure(.useAndSecurityData):
            true
        case .failure: false
        }
    }
}

extension TrackText {
    fileprivate func first(_ count: Int) -> [UInt8] {
        characters.withBytes { bytes in bytes.indices.prefix(count).map { bytes[$0] } }
    }
}
