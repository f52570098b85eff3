internal import PaymentTerminal

/// The secure cards of the model host, by merchant reference.
struct CardVault {
    struct Card {
        let token: String
        /// What the shop wrote with it: another text each time, so that a change is known by it.
        var note: String
        var summary: CardSummary
    }

    private(set) var cards: [String: Card] = [:]
    private var tokens = 0

    func has(token: SecureCardReference) -> Bool { cards.values.contains { $0.token == token.text } }

    /// What a payment wants to have registered with its card.
    struct Registration {
        let card: SecureCard
        let summary: CardSummary

        /// Nil for a payment that wants nothing registered, or whose card is known by a token
        /// alone.
        init?(_ request: AuthorizationRequest) {
            guard let card = request.secureCard else { return nil }
            switch request.card {
            case .captured(let captured): summary = CardSummary(captured)
            case .keyed(let details, _): summary = CardSummary(details)
            case .token: return nil
            }
            self.card = card
        }
    }

    /// - Returns: Nil if the merchant reference is taken.
    mutating func register(_ registration: Registration) -> SecureCardReference? {
        let name = registration.card.merchantReference.text
        guard cards[name] == nil else { return nil }
        tokens += 1
        let token = "T-\(tokens)"
        cards[name] = Card(token: token, note: registration.card.details.note, summary: registration.summary)
        return SecureCardReference(token)
    }

    mutating func register(_ registration: SecureCardRegistration) -> Result<SecureCard, HostError> {
        let name = registration.merchantReference.text
        guard cards[name] == nil else {
            return .failure(HostError(.secureCardExists, "the merchant reference is taken"))
        }
        guard let summary = registration.summary else { return .failure(HostError(.invalidRequest, "no card")) }
        tokens += 1
        cards[name] = Card(
            token: "T-\(tokens)", note: registration.details.note, summary: summary)
        return .success(kept(registration))
    }

    mutating func update(_ registration: SecureCardRegistration) -> Result<SecureCard, HostError> {
        let name = registration.merchantReference.text
        guard var card = cards[name] else { return .failure(HostError(.secureCardUnknown, "no such secure card")) }
        card.note = registration.details.note
        if let summary = registration.summary { card.summary = summary }
        cards[name] = card
        return .success(kept(registration))
    }

    func retrieve(_ reference: MerchantReference) -> Result<SecureCard, HostError> {
        guard let card = cards[reference.text] else {
            return .failure(HostError(.secureCardUnknown, "no such secure card"))
        }
        var details = SecureCard.Details()
        details.note = card.note
        return .success(
            SecureCard(
                merchantReference: reference, cardReference: SecureCardReference(card.token),
                card: card.summary, details: details))
    }

    mutating func delete(_ reference: MerchantReference, token: SecureCardReference) -> Result<Void, HostError> {
        guard cards[reference.text]?.token == token.text else {
            return .failure(HostError(.secureCardUnknown, "no such secure card"))
        }
        cards[reference.text] = nil
        return .success(())
    }

    private func kept(_ registration: SecureCardRegistration) -> SecureCard {
        SecureCard(
            merchantReference: registration.merchantReference,
            cardReference: cards[registration.merchantReference.text].map { SecureCardReference($0.token) },
            card: registration.summary,
            entryMode: registration.entryMode, readerName: registration.readerName, details: registration.details)
    }
}

extension SecureCard.Details {
    /// In the one field that each interface has.
    fileprivate var note: String {
        get { customFields.first?.value ?? "" }
        set { customFields = [CustomField(name: "Note", value: newValue)] }
    }
}

/// What the shop does with its secure cards between two sales: no answer may lie.
extension Scenario {
    private enum Errand: UInt64 {
        case register, edit, delete
    }

    private enum Answer {
        case response(SecureCardResponse)
        case error(TerminalError.Code)
    }

    func runErrand(after wish: Wish) {
        guard let life, world.bench == nil, world.strikes(.secureCard, .corners, order: wish.orderID),
            let errand = Errand(rawValue: world.draw(.corners, "errand", 3)),
            let reference = try? MerchantReference("M\(world.draw(.corners, "customer", 2))")
        else { return }
        world.errands += 1
        let note = "errand \(world.errands)"
        let key = world.draw(.corners, "errand's key", 2) == 1 ? try? IdempotencyKey("E\(world.errands)") : nil
        let reads = world.draw(.corners, "errand reads", 2) == 1
        let before = world.host.vault.cards[reference.text]
        let verified = world.host.verifications
        world.note("\(note): \(errand) \(reference)")
        let answer = call { await Self.run(errand, reference, note, reads: reads, key: key, at: life.terminal) }
        guard let answer, self.life === life else { return }
        judge(answer, errand, reference, note: note, before: before)
        if case .response(let response) = answer, errand != .delete, world.host.verifications > verified,
            [nil, .notValidated].contains(response.secureCard?.securityCheck)
        {
            world.violated(.secureCardLie, "\(reference) was verified by its issuer, and is told as not validated")
        }
    }

    private static func run(
        _ errand: Errand, _ reference: MerchantReference, _ note: String, reads: Bool, key: IdempotencyKey?,
        at terminal: Terminal
    ) async -> Answer {
        guard let keyed = Cards.keyed() else { fatalError("a card that is not one") }
        var details = SecureCard.Details()
        details.note = note
        let method: TokenMethod = reads ? .reader : errand == .edit ? .unchanged : .keyed(keyed, cvv: nil)
        let card = SecureCard(merchantReference: reference, details: details, tokenMethod: method)
        do throws(TerminalError) {
            switch errand {
            case .register: return .response(try await terminal.registerSecureCard(card, idempotencyKey: key))
            case .edit: return .response(try await terminal.editSecureCard(card, idempotencyKey: key))
            case .delete: return .response(try await terminal.deleteSecureCard(reference, idempotencyKey: key))
            }
        } catch {
            return .error(error.code)
        }
    }

    private func judge(
        _ answer: Answer, _ errand: Errand, _ reference: MerchantReference, note: String, before: CardVault.Card?
    ) {
        let now = world.host.vault.cards[reference.text]
        switch answer {
        case .response(let response):
            world.note("\(note): \(response.description)")
            world.marks.outcomes["secure card, \(errand): \(response.description)", default: 0] += 1
            guard errand != .delete else {
                if now != nil { world.violated(.secureCardLie, "\(reference) is told as deleted, and is there") }
                return
            }
            if now?.token != response.secureCardReference?.text {
                world.violated(.secureCardLie, "\(reference) has another token than was told")
            }
            // A network that sent a registration twice may have had it registered before.
            if let told = response.secureCard?.details.note, !told.isEmpty, told != now?.note {
                world.violated(.secureCardLie, "\(reference) is \(now?.note ?? "not there"), and was told as \(told)")
            } else if let token = response.secureCardReference {
                world.shop.tokens[reference.text] = token
            }
        case .error(let code):
            world.note("\(note): error \(code)")
            world.marks.outcomes["secure card, \(errand): error \(code)", default: 0] += 1
            // Of two copies of a deletion the second finds nothing.
            let isOpen = [.noAnswer, .answerNotGenuine, .internalError].contains { code == .hostFailed($0) }
            guard !isOpen, errand != .delete || code != .refused(.secureCardUnknown) else { return }
            if errand == .delete ? before != nil && now == nil : now?.note == note {
                world.violated(.secureCardLie, "an error was told of \(reference), and the host did it: \(code)")
            }
        }
    }
}
