internal import PaymentTerminal

/// A scenario without chance, in which one thing happens at one step of its last wish: so that every step can be tried.
struct Course {
    enum Host: CaseIterable {
        case extended, listed, bare
        /// Behind `RESTGateway`.
        case extendedGateway, publishedGateway

        var hasExtensions: Bool { self == .extended || self == .extendedGateway }
        var hasList: Bool { self != .bare }
        var isBehindGateway: Bool { self == .extendedGateway || self == .publishedGateway }
    }

    let kind: Wish.Kind
    let host: Host
    /// What strikes every time while the last wish is at work, if anything.
    let fault: Fault?
    let side: Wish.Side
    /// After so many steps of the last wish.
    var step = Int.max

    /// All that there are.
    static let all: [Course] = {
        var courses: [Course] = []
        let kinds: [Wish.Kind] = [
            .keyedSale, .readerSale, .keyedPreAuthorization, .readerPreAuthorization, .cardRefund, .refund, .capture, .reversal,
        ]
        let faults: [Fault?] = [nil, .answerLost, .requestLost, .refused, .unavailable, .notGenuine, .doubled, .otherAmount]
        let ofReaders: [Fault] = [.cardDeclines, .cardRemoved, .readerFails, .readerLate, .readerHangs]
        // Behind the gateway last: the numbers of the others stay.
        for hosts in [[Host.extended, .listed, .bare], [.extendedGateway, .publishedGateway]] {
            for (kind, host) in kinds.flatMap({ kind in hosts.map { (kind, $0) } }) {
                let readsCard = kind == .readerSale || kind == .readerPreAuthorization || kind == .cardRefund
                for fault in faults + (readsCard ? ofReaders : []) {
                    for side: Wish.Side in [.cancelTask, .cancelCall, .die, .losePower] {
                        courses.append(Course(kind: kind, host: host, fault: fault, side: side))
                    }
                }
            }
        }
        return courses
    }()

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
        guard let order = Wish.orderID(kind == .reversal ? original ?? number : number), let key = try? IdempotencyKey("K\(1000 + number)")
        else { return nil }
        return Wish(
            number: number, kind: kind, orderID: order, key: kind == .reversal ? nil : key,
            amount: Money(minorUnits: 1234, currency: .euro),
            allowsPartialApproval: false, forcesOnline: false, decision: .approve, original: original,
            sides: isLast ? [(step: step, side: side)] : [], retries: 1)
    }
}

extension Course: CustomStringConvertible {
    var description: String {
        "\(kind.rawValue), \(host), \(fault?.rawValue ?? "no fault"), \(side.rawValue) at step \(step)"
    }
}
