public import JSONDocument
import PaymentTerminal

extension TillRequest {
    /// A request as a till has sent it: one JSON object of at most ``JSONDocument/JSON/maximumSize``
    /// bytes. A key that it does not know is refused, as a spelling mistake might be about money.
    public init(parsing document: [UInt8]) throws(DocumentError) {
        self = try Place.document(document, maximumSize: JSON.maximumSize) { place throws(DocumentError) in
            try TillRequest(place)
        }
    }

    private init(_ place: Place) throws(DocumentError) {
        let kind: Kind = try place.member("request").raw()
        let members = try place.members(["version", "id", "request"] + kind.keys)
        if let version = members["version"] { _ = try version.number(Self.version...Self.version) }
        id = try members.optional("id") { place throws(DocumentError) in try place.line(1...64) }
        content = try kind.read(members)
    }

    /// The till's own name for a request that may be invalid otherwise.
    static func id(of value: JSON) -> String? {
        do throws(DocumentError) {
            return try Place(value: value, path: "").member("id").line(1...64)
        } catch {
            return nil
        }
    }

    enum Kind: String, CaseIterable {
        case sale, refund, capture, reversal, inquiry, receipt
        case registerSecureCard, retrieveSecureCard, editSecureCard, deleteSecureCard
        case transactions, settings, cancel, answer

        /// Beside those of every request.
        var keys: [String] {
            switch self {
            case .sale: ["order", "key", "amount", "currency", "token"] + SaleReader.keys
            case .refund: ["order", "key", "amount", "currency", "token", "transaction", "operator", "reason"]
            case .capture: ["order", "key", "amount", "currency", "transaction", "operator"]
            case .reversal, .inquiry, .receipt: ["order"]
            case .registerSecureCard: ["key", "merchantReference"] + SecureCard.Details.keys
            case .retrieveSecureCard: ["merchantReference"]
            case .editSecureCard: ["key", "merchantReference", "token", "keepsCard"] + SecureCard.Details.keys
            case .deleteSecureCard: ["key", "merchantReference", "token"]
            case .transactions: TransactionQuery.keys
            case .settings, .cancel: []
            case .answer: ["question"] + Answer.keys
            }
        }

        func read(_ members: Members) throws(DocumentError) -> Content {
            switch self {
            case .sale: .sale(try SaleReader(members).sale())
            case .refund: .refund(try Refund(members))
            case .capture: .capture(try FundsCapture(members))
            case .reversal: .reversal(try members.required("order").order())
            case .inquiry: .inquiry(try members.required("order").order())
            case .receipt: .receipt(try members.required("order").order())
            case .registerSecureCard: .registerSecureCard(try SecureCard(members, isNew: true), try members.key())
            case .retrieveSecureCard: .retrieveSecureCard(try members.merchantReference())
            case .editSecureCard: .editSecureCard(try SecureCard(members, isNew: false), try members.key())
            case .deleteSecureCard:
                .deleteSecureCard(try members.merchantReference(), try members.token(), try members.key())
            case .transactions: .transactions(try TransactionQuery(members))
            case .settings: .settings
            case .cancel: .cancel
            case .answer:
                .answer(question: try members.required("question").number(1...Int.max), try Answer(members))
            }
        }
    }
}

extension Refund {
    fileprivate init(_ members: Members) throws(DocumentError) {
        let (token, transaction) = (
            try members.token(),
            try members.optional("transaction") { place throws(DocumentError) in
                try place.reference()
            }
        )
        if token != nil, transaction != nil { throw DocumentError("token", MessageFault.notWith("transaction")) }
        let card = token.map { Sale.Source.secureCard($0) } ?? .reader
        self.init(
            orderID: try members.required("order").order(), idempotencyKey: try members.key(),
            amount: try members.amount(), target: transaction.map { .transaction($0) } ?? .card(card),
            operatorName: try members.line("operator"), reason: try members.line("reason"))
    }
}

extension FundsCapture {
    fileprivate init(_ members: Members) throws(DocumentError) {
        self.init(
            orderID: try members.required("order").order(), idempotencyKey: try members.key(),
            original: try members.required("transaction").reference(), amount: try members.amount(),
            operatorName: try members.line("operator"))
    }
}

extension TransactionQuery {
    fileprivate static let keys = [
        "order", "transaction", "states", "kinds", "from", "to", "phrase", "sortedBy", "isAscending", "page",
        "pageSize", "continuation",
    ]

    fileprivate init(_ members: Members) throws(DocumentError) {
        self.init()
        orderID = try members.optional("order") { place throws(DocumentError) in try place.order() }
        uniqueReference = try members.optional("transaction") { place throws(DocumentError) in try place.reference() }
        states = Set(try members.choices("states"))
        kinds = Set(try members.choices("kinds"))
        let from: Int64? = try members.optional("from") { place throws(DocumentError) in try place.number(0...Int64.max)
        }
        let to: Int64? = try members.optional("to") { place throws(DocumentError) in try place.number(0...Int64.max) }
        if from != nil || to != nil {
            let (start, end) = (from ?? 0, to ?? .max)
            guard start <= end else { throw DocumentError("to", MessageFault.endsBeforeItBegins) }
            // ordered: checked above
            period = start..<end
        }
        phrase = try members.line("phrase")
        order = try members.optional("sortedBy") { place throws(DocumentError) in try place.raw() } ?? .time
        isAscending = try members.flag("isAscending")
        page = try members.optional("page") { place throws(DocumentError) in try place.number(0...1_000_000) } ?? 0
        pageSize = try members.optional("pageSize") { place throws(DocumentError) in try place.number(1...100) } ?? 10
        continuation = try members.line("continuation")
    }
}

extension TillRequest.Answer {
    static let keys = ["signature", "isGenuine", "approvalCode", "choice", "refused"]

    init(_ members: Members) throws(DocumentError) {
        let given = Self.keys.filter { members[$0] != nil }
        guard given.count == 1 else {
            throw DocumentError(given.dropFirst().first ?? "", MessageFault.oneOf(Self.keys))
        }
        switch given[0] {
        case "signature": self = .signature(try members.required("signature").signature())
        case "isGenuine": self = .isGenuine(try members.required("isGenuine").flag())
        case "approvalCode":
            let place = try members.required("approvalCode")
            let code = try place.text(6...6)
            guard code.utf8.count == 6, code.allSatisfy({ $0.isLetter || $0.isNumber }) else {
                throw place.wrong(MessageFault.approvalCode)
            }
            self = .approvalCode(code)
        case "choice": self = .choice(try members.required("choice").number(0...Int(UInt16.max)))
        default:
            let place = try members.required("refused")
            guard try place.flag() else { throw place.wrong(MessageFault.onlyTrue) }
            self = .refused
        }
    }
}
