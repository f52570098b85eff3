internal import PaymentTerminal

/// A scenario without chance, in which one thing happens at one step of its last wish: so that
/// every step can be tried.
struct Course {
    enum Host: CaseIterable {
        case extended, listed, bare
        /// Behind `RESTGateway`.
        case extendedGateway, publishedGateway
        /// Behind `XMLGateway`, which has no list of orders.
        case extendedXML, publishedXML
        /// As the first, with the shipped chip reader and kernel.
        case kernel
        /// The shipped bench host, with the same reader.
        case bench

        var hasExtensions: Bool { [.extended, .extendedGateway, .extendedXML, .kernel, .bench].contains(self) }
        var hasList: Bool { ![.bare, .extendedXML, .publishedXML].contains(self) }
        var hasKernel: Bool { self == .kernel || self == .bench }
        /// A bare status comes from something between client and gateway.
        var isBehindGateway: Bool { [.extendedGateway, .publishedGateway, .extendedXML, .publishedXML].contains(self) }
    }

    let kind: Wish.Kind
    let host: Host
    /// What strikes every time while the last wish is at work, if anything.
    let fault: Fault?
    let side: Wish.Side
    /// After so many steps of the last wish.
    var step = Int.max

    /// All that there are. What is added goes to the end: the numbers of the others stay.
    static let all: [Course] =
        courses([.extended, .listed, .bare], Faults.first)
        + courses([.extendedGateway, .publishedGateway], Faults.first)
        + courses([.extended, .listed, .bare, .extendedGateway, .publishedGateway], Faults.second)
        + courses([.extendedXML, .publishedXML, .kernel, .bench], Faults.first)
        + courses([.extendedXML, .publishedXML, .kernel, .bench], Faults.second)

    /// Those of the line, those of something before the gateway, and those of readers.
    private struct Faults {
        let ofLines: [Fault?]
        var ofGateways: [Fault?] = []
        let ofReaders: [Fault?]

        static let first = Faults(
            ofLines: [nil, .answerLost, .requestLost, .refused, .unavailable, .notGenuine, .doubled, .otherAmount],
            ofReaders: [.cardDeclines, .cardRemoved, .readerFails, .readerLate, .readerHangs])
        static let second = Faults(
            ofLines: [.answerLate, .slow, .silentForOne, .deafHostClient], ofGateways: [.strayStatus],
            ofReaders: [.noCard, .readerSlow])
    }

    /// At the kernel these strike at one command of many, as drawn: so never here.
    private static let drawnAtKernel: [Fault?] = [.cardRemoved, .readerFails, .readerSlow]

    private static func courses(_ hosts: [Host], _ faults: Faults) -> [Course] {
        let kinds: [Wish.Kind] = [
            .keyedSale, .readerSale, .keyedPreAuthorization, .readerPreAuthorization, .cardRefund, .refund, .capture,
            .reversal,
        ]
        return kinds.flatMap { kind in hosts.map { (kind, $0) } }.flatMap { kind, host in
            let readsCard = kind == .readerSale || kind == .readerPreAuthorization || kind == .cardRefund
            // Without a card the kernel changes nothing.
            guard readsCard || host != .kernel else { return [Course]() }
            let ofReaders = readsCard ? faults.ofReaders.filter { !host.hasKernel || !drawnAtKernel.contains($0) } : []
            return (faults.ofLines + (host.isBehindGateway ? faults.ofGateways : []) + ofReaders).flatMap { fault in
                [Wish.Side.cancelTask, .cancelCall, .die, .losePower].map {
                    Course(kind: kind, host: host, fault: fault, side: $0)
                }
            }
        }
    }

    /// The last one, and the one that it is about.
    var wishes: [Wish] {
        let original: Wish.Kind? =
            switch kind {
            case .refund, .reversal: .keyedSale
            case .capture: .keyedPreAuthorization
            default: nil
            }
        guard let original else { return [wish(0, kind, nil, isLast: true)].compactMap { $0 } }
        return [wish(0, original, nil, isLast: false), wish(1, kind, 0, isLast: true)].compactMap { $0 }
    }

    private func wish(_ number: Int, _ kind: Wish.Kind, _ original: Int?, isLast: Bool) -> Wish? {
        guard let order = Wish.orderID(kind == .reversal ? original ?? number : number),
            let key = try? IdempotencyKey("K\(1000 + number)")
        else { return nil }
        return Wish(
            number: number, kind: kind, orderID: order, key: kind == .reversal ? nil : key,
            amount: Money(minorUnits: 1234, currency: .euro),
            allowsPartialApproval: false, forcesOnline: false, decision: .approve, isPartly: false, reusesKey: false,
            original: original,
            sides: isLast ? [(step: step, side: side)] : [], retries: 1)
    }
}

extension Course: CustomStringConvertible {
    var description: String {
        "\(kind.rawValue), \(host), \(fault?.rawValue ?? "no fault"), \(side.rawValue) at step \(step)"
    }
}
