internal import Bytes
internal import CardCapture
internal import EMVKernel
internal import PaymentTerminal

extension Terminal.Configuration {
    /// The parts of a configuration that a merchant may set, each as drawn; 0 leaves the default.
    mutating func draw(_ world: World) {
        let draw = { (label: StaticString, bound: UInt64) in world.draw(.settings, label, bound) }
        func chosen(_ name: String) { world.marks.parts["setting: \(name)", default: 0] += 1 }
        switch draw("signature", 4) {
        case 1: signature = .captured(isVerified: false)
        case 2, 3: signature = .captured(isVerified: true)
        default: break
        }
        callsIssuer =
            draw("calls", 2) == 1
            || [Fault.callRefused, .callMissing, .callCancelled, .codeLate].contains { world.swarm.exists($0) }
        if draw("unsent", 2) == 1 { unsentFields = .list }
        switch draw("offline", 6) {
        case 1: offline.maximumCount = Int(draw("count", 3))
        case 2: offline.maximumAmount = 5000
        case 3: offline.maximumTotal = 10_000
        case 4: offline.deferredAuthorization = [.keyed, .magneticStripe, .stripeFallback, .contactlessStripe]
        case 5: offline.splitSaleHours = 24
        default: break
        }
        if world.swarm.exists(.awayAtFirst) {
            offline.deferredAuthorization = [.keyed, .magneticStripe, .stripeFallback, .contactlessStripe]
            switch draw("stored", 4) {
            case 2: offline.maximumCount = 1 + Int(draw("count", 2))
            case 3: offline.maximumTotal = 10_000
            default: break
            }
        }
        world.offline = offline
        switch draw("codes", 6) {
        case 4: responseCodes = ResponseCodes(approving: ["00"])
        case 5: responseCodes = ResponseCodes(approving: ["00", "11"], referral: ["01", "02"])
        default: break
        }
        let retentions: [Int?] = [550, 550, nil, 30]
        journalRetention = retentions[Int(draw("retention", UInt64(retentions.count)))]
        if draw("maximum", 8) == 7 { maximumAmount = Money(minorUnits: 5000, currency: .euro) }
        if draw("exceptions", 6) == 5 { exceptions = Self.exceptions([Cards.keyedNumber, Cards.stripeNumber]) }
        world.hasExceptions = exceptions != nil
        if world.swarm.exists(.refusedCard) { devices = Self.listedReaders }
        switch signature {
        case .onPaper: chosen("signature on paper")
        case .captured(let isVerified): chosen("signature captured\(isVerified ? " and verified" : "")")
        }
        chosen("calls to the issuer \(callsIssuer ? "on" : "off")")
        chosen("unsent fields \(unsentFields == .list ? "listed" : "refused")")
        chosen("retention \(journalRetention.map { "\($0) days" } ?? "for ever")")
        if offline != OfflinePolicy() { chosen("offline policy") }
        if responseCodes != ResponseCodes() { chosen("response codes") }
        if maximumAmount != nil { chosen("maximum amount") }
        if exceptions != nil { chosen("exception file") }
        if devices != nil { chosen("list of devices") }
    }

    private static func exceptions(_ numbers: [String]) -> ExceptionFile? {
        let key = [UInt8](repeating: 0x3C, count: 32)
        let text = ExceptionFile.text(of: numbers.map { (SecretBytes($0.utf8), nil) }, key: SecretBytes(key))
        return try? ExceptionFile(parsing: text, key: SecretBytes(key))
    }

    /// Each reader refuses cards of one issuer.
    private static let listedReaders: Terminal.DeviceList? = {
        guard let kind = Terminal.DeviceList.CardKind(issuer: String(Cards.refusedNumber.prefix(4))) else { return nil }
        return Terminal.DeviceList(
            readers: ["Model reader", "Simulated slot", "Simulated field"].flatMap { name in
                (1...40).map { Terminal.DeviceList.Reader(name: "\(name) \($0)", refusedCards: [kind]) }
            })
    }()
}

extension OfflinePolicy {
    /// Whether a payment may wait for the host beside others, as the policy's words say it.
    func allows(_ amount: Money, beside others: some Collection<Money>) -> Bool {
        let sum = others.filter { $0.currency == amount.currency }.reduce(amount.minorUnits) { $0 + $1.minorUnits }
        return others.count + 1 <= maximumCount && amount.minorUnits <= maximumAmount ?? .max
            && sum <= maximumTotal ?? .max
    }
}
