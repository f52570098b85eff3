internal import Gateways
internal import JSONDocument
internal import PaymentTerminal
internal import WorldNet

/// What a gateway's answers may look like beside what is common.
extension World {
    /// An answer of something between client and gateway to a request that moves money, after which
    /// the gateway refuses the second request.
    ///
    /// - Parameter act: Has the host act on the first one.
    func unauthorized(_ order: OrderID?, _ act: () -> Void) -> HTTPResponse? {
        // Of two copies of one request the second would be refused: nobody could tell that the
        // first was taken.
        guard let order, !swarm.exists(.doubled), strikes(.unauthorizedBetween, .corners, order: order) else {
            return nil
        }
        if draw(.corners, "acts", 2) == 1 { act() }
        let refusals = HostError.Refusal.allCases
        let refusal = refusals[Int(draw(.corners, "refusal", UInt64(refusals.count)))]
        self.refusals[order] = (HostError(refusal, "the gateway refuses the second request"), now + 60_000_000_000)
        refusesOnce.insert(order)
        shop.mayStayUnknown.insert(order)
        return HTTPResponse(status: 401, headers: [], body: [])
    }

    /// The answer of a gateway that writes an amount in a way of its own.
    ///
    /// - Parameter isPending: What it shows is an order that is not decided.
    func odd(_ answer: JSON, _ order: OrderID, isPending: Bool) -> JSON {
        guard !isPending else {
            return answer.setting("transactionResult", "resultCode", .text("E")).setting(
                "transactionResult", "processorResultCode", nil)
        }
        guard strikes(.oddAmount, .corners, order: order),
            case .number(let amount)? = answer["transactionResult"]?["authorizedAmount"]
        else {
            return answer
        }
        let forms: [JSON?] = [.text(amount), .number("\(amount)E0"), .number("\(amount)7"), nil, .null, .flag(true)]
        var form = forms[Int(draw(.corners, "form", UInt64(forms.count)))]
        // An approval without an amount says that it is for the requested one: nobody can see that
        // it is for more.
        let (authorized, requested) = (
            host.orders[order]?.authorized?.minorUnits, host.orders[order]?.requested?.minorUnits
        )
        if form == nil || form == .null, authorized ?? 0 > requested ?? .max { form = .text(amount) }
        note(
            "the amount \(amount) is written \(form.map { String(decoding: $0.document, as: UTF8.self) } ?? "not at all")"
        )
        return answer.setting("transactionResult", "authorizedAmount", form)
    }

    /// The same over XML.
    func odd(_ answer: XMLMessage, _ order: OrderID) -> XMLMessage {
        var answer = answer
        guard host.orders[order]?.state != .pending else {
            answer[.responseCode] = "E"
            answer[.responseText] = "PENDING"
            answer[.bankResponseCode] = nil
            answer[.authorizedAmount] = nil
            return answer
        }
        guard let amount = answer[.authorizedAmount], strikes(.oddAmount, .corners, order: order) else { return answer }
        let isPart = host.orders[order]?.authorized != host.orders[order]?.requested
        switch draw(.corners, "form", 4) {
        case 0:
            // Nothing but `P` then says that it is not the whole.
            answer[.authorizedAmount] = nil
            if isPart { answer[.responseCode] = "P" }
        case 1: answer[.authorizedAmount] = amount + "E0"
        case 2: answer[.authorizedAmount] = amount + "7"
        default: answer[.authorizedAmount] = "EUR " + amount
        }
        return answer
    }

    func hasReversedForGood(_ order: OrderID) -> Bool {
        refusedRepetitions.contains(order) && host.orders[order]?.state == .reversed
    }

    /// Whether something on the way loses the answer to a reversal that was done: the gateway
    /// refuses to do it once more, and its list is behind.
    func losesAnswer(toReversalOf order: OrderID) -> Bool {
        guard host.orders[order]?.state == .reversed, strikes(.repeatRefused, .corners, order: order) else {
            return false
        }
        refusedRepetitions.insert(order)
        host.showOld(order, for: Int64(60 + draw(.corners, "lags by", 120)) * 1_000_000_000)
        return true
    }
}

extension JSON {
    /// With another value for a member of a member; without it for nil.
    func setting(_ outer: String, _ inner: String, _ value: JSON?) -> JSON {
        guard case .object(let members) = self else { return self }
        return .object(
            members.map { $0.name == outer ? Member(outer, $0.value.setting(inner, value)) : $0 })
    }

    private func setting(_ name: String, _ value: JSON?) -> JSON {
        guard case .object(let members) = self else { return self }
        return .object(members.filter { $0.name != name } + (value.map { [Member(name, $0)] } ?? []))
    }
}
