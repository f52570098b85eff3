internal import Bytes
public import MagneticStripe
private import TLV

/// A swipe as lines for people: the content of each track, masked unless it is a test card.
public struct MagstripeDescription {
    /// A line and its indentation.
    public struct Line: Equatable {
        public let depth: Int
        public let text: String
    }

    private let isRedacted: Bool
    private var found: [Line] = []

    public static func lines(_ swipe: Swipe, isRedacted: Bool) -> [Line] {
        var description = MagstripeDescription(isRedacted: isRedacted)
        switch swipe.content {
        case .payment(let stripe): description.add(stripe, swipe)
        case .license(let stripe): description.add(stripe, swipe)
        case .other:
            for track in TrackNumber.allCases {
                description.add(track, swipe, " of neither a payment card nor a driver's license")
            }
        }
        return description.found
    }

    private init(isRedacted: Bool) { self.isRedacted = isRedacted }

    // MARK: Lines

    private mutating func add(_ text: String, depth: Int = 1) { found.append(Line(depth: depth, text: text)) }

    private mutating func add(_ name: String, hidden value: String) {
        guard !value.isEmpty else { return add("\(name): none") }
        add("\(name): \(isRedacted ? String(repeating: Redaction.mask, count: value.count) : value)")
    }

    private mutating func add(_ name: String, _ secret: SecretBytes) { add(name, hidden: shown(secret)) }

    private func shown(_ secret: SecretBytes) -> String {
        secret.withBytes { bytes in ValueDescription.printable(bytes.indices.map { bytes[$0] }) }
    }

    private mutating func add(pan: SecretBytes) {
        var digits = pan.revealed()
        defer { wipe(&digits) }
        let shown = isRedacted ? Redaction.maskedPAN(digits) : String(decoding: digits, as: UTF8.self)
        add("PAN: \(shown), check digit \(Luhn.isValid(digits) ? "right" : "wrong")")
    }

    private mutating func add(expiry: String?, serviceCode: ServiceCode?) {
        if let expiry { add("Expiry, YYMM", hidden: expiry) } else { add("Expiry: left out") }
        add(serviceCode.map { "Service code: \($0), \(Self.summary($0))" } ?? "Service code: left out")
    }

    /// Adds the heading of a track and, if it was not read, the reason; returns whether it was
    /// read.
    @discardableResult
    private mutating func add(_ track: TrackNumber, _ swipe: Swipe, _ kind: String = "") -> Bool {
        switch swipe[track] {
        case .blank: return false
        case .failed(let error):
            add("Track \(track.rawValue): \(error)", depth: 0)
            return false
        case .read(let text, _):
            add("Track \(track.rawValue)\(kind), \(text.characters.count) characters", depth: 0)
            return true
        }
    }

    private mutating func add(_ expiry: LicenseTrack2.Expiry) {
        switch expiry {
        case .month(let yymm): add("Expires at the end of the month, YYMM", hidden: yymm)
        case .never: add("Expires: never")
        case .monthOfBirth(let yy): add("Expires at the end of the month of birth, YY", hidden: yy)
        case .birthday(let yy): add("Expires on the birthday, YY", hidden: yy)
        }
    }

    // MARK: Payment cards

    private mutating func add(_ stripe: PaymentMagstripe, _ swipe: Swipe) {
        if add(.one, swipe, " of a payment card") {
            switch stripe.track1 {
            case .success(let track):
                add(pan: track.pan)
                add("Cardholder name", hidden: track.name.spoken)
                add(expiry: track.expiry, serviceCode: track.serviceCode)
                add("Discretionary data", track.discretionaryData)
            case .failure(let error): add("\(error)")
            case nil: break
            }
        }
        if add(.two, swipe, " of a payment card") {
            switch stripe.track2 {
            case .success(let track):
                add(pan: track.pan)
                add(expiry: track.expiry, serviceCode: track.serviceCode)
                add("Discretionary data", track.discretionaryData)
            case .failure(let error): add("\(error)")
            case nil: break
            }
        }
        if add(.three, swipe, " of a payment card") {
            switch stripe.track3 {
            case .success(let track):
                add("Format code: \(track.formatCode)")
                if let pan = track.pan { add(pan: pan) }
                if let data = track.useAndSecurityData {
                    add("Currency: \(data.currencyCode), exponent \(data.currencyExponent)")
                    if let expiry = data.expiry { add("Expiry, YYMM", hidden: expiry) }
                }
            case .failure(let error): add("\(error)")
            case nil: break
            }
        }
        for field in stripe.contradictions { add("Tracks 1 and 2 differ in the \(Self.summary(field))", depth: 0) }
    }

    // MARK: Driver's licenses

    private mutating func add(_ stripe: LicenseMagstripe, _ swipe: Swipe) {
        if add(.one, swipe, " of a driver's license") {
            switch stripe.track1 {
            case .success(let track):
                add("Jurisdiction: \(track.jurisdiction)")
                add("City", hidden: track.city)
                add("Name", hidden: (track.givenNames + [track.surname]).joined(separator: " "))
                add("Address", hidden: track.address.joined(separator: ", "))
            case .failure(let error): add("\(error)")
            case nil: break
            }
        }
        if add(.two, swipe, " of a driver's license") {
            switch stripe.track2 {
            case .success(let track):
                add("Issuer: \(track.issuer)")
                add("Number", track.number)
                add(track.expiry)
                add("Date of birth", hidden: track.birthDate)
            case .failure(let error): add("\(error)")
            case nil: break
            }
        }
        if add(.three, swipe, " of a driver's license") {
            switch stripe.track3 {
            case .success(let track):
                add("Postal code", hidden: track.postalCode)
                add("Class: \(track.vehicleClass)")
            case .failure(let error): add("\(error)")
            case nil: break
            }
        }
    }

    // MARK: Words

    private static func summary(_ code: ServiceCode) -> String {
        let interchange =
            switch code.interchange {
            case .international: "international"
            case .national: "national"
            case .byAgreementOnly: "by agreement only"
            case .test: "test"
            case .reserved: "reserved"
            }
        let authorisation =
            switch code.authorization {
            case .normal: "normal authorisation"
            case .online: "online authorisation"
            case .onlineExceptByAgreement: "online authorisation unless agreed otherwise"
            case .reserved: "authorisation reserved"
            }
        let services =
            switch code.services {
            case .noRestrictions: "no restrictions"
            case .goodsAndServices: "goods and services only"
            case .atmOnly: "ATM only"
            case .cashOnly: "cash only"
            case .reserved: "services reserved"
            }
        let pin =
            switch code.pin {
            case .required: "PIN required"
            case .whereFeasible: "PIN where feasible"
            case .notAskedFor: ""
            }
        return
            ([interchange] + (code.hasChip ? ["chip"] : []) + [authorisation, services] + (pin.isEmpty ? [] : [pin]))
            .joined(
                separator: ", ")
    }

    private static func summary(_ field: SharedTrackField) -> String {
        switch field {
        case .pan: "PAN"
        case .expiry: "expiry date"
        case .serviceCode: "service code"
        }
    }
}
