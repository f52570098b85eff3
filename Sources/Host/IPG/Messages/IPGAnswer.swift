internal import Bytes
internal import JSONDocument
public import PaymentTerminal
internal import XMLDocument

/// The gateway's signed answer to a refund, a reversal or a question about an order.
public struct IPGAnswer: Sendable, Equatable {
    public let method: IPGMethod
    public let code: IPGResultCode
    /// The gateway's words for the code, on one line.
    public let message: String
    public let orderID: IPGOrderID?
    /// Of this transaction.
    public let reference: TransactionReference?
    /// Of the transaction that this one refunds or reverses.
    public let originalReference: TransactionReference?
    public let amount: Money?
    public let approval: String?
    /// The state of the order; nil in an answer to another method than
    /// ``IPGMethod/status``.
    public let state: OrderState?

    /// The state of an order that was asked for.
    public enum OrderState: Sendable, Equatable {
        case completed
        case pending
        case failed(OperationStatus)
        /// The number and the words contradict each other: ask again, or a person.
        case unclear
    }

    /// Whether the method has done what it was asked for.
    public var isGood: Bool { code == .good }
}

extension IPGAnswer {
    /// Reads an answer, XML if it begins with `<`, JSON otherwise, and verifies its signature.
    ///
    /// - Parameter method: The one that was asked for.
    public init(parsing body: [UInt8], to method: IPGMethod, for account: IPGAccount) throws(IPGMessageError) {
        let document = try Self.document(body)
        do throws(IPGSignatureError) { try account.verify(document) } catch { throw .signature(error) }
        guard case .object(let members) = document else { throw .unknownMessage }
        var pairs: [(name: String, value: String)] = []
        for member in members {
            guard let value = member.value.scalar else { continue }
            pairs.append((member.name, value))
        }
        try self.init(MessageValues(pairs), to: method, for: account)
    }

    private init(_ values: MessageValues, to method: IPGMethod, for account: IPGAccount) throws(IPGMessageError) {
        guard try values.required("IPGmethod", "method") == method.rawValue else { throw .unknownMessage }
        if values["MID"] != nil {
            guard try values.merchantID() == account.merchantID else { throw .otherMerchant }
        }
        guard let number = Int(try values.required("status")) else { throw .invalid("status") }
        self.method = method
        code = IPGResultCode(rawValue: number)
        message = (values["status_msg"] ?? "").onOneLine(atMost: 200)
        orderID = values["OrderID"] == nil ? nil : try values.orderID()
        reference = try values.reference("IPG_Trnref", "trnref")
        originalReference = try values.reference("IPGTrnrefOriginal", "trnreforiginal")
        amount = values["Amount"] == nil ? nil : try values.amount()
        approval = values["Approval"]?.onOneLine(atMost: 40)
        state = method == .status ? try Self.state(values, account.generation, code) : nil
    }

    /// Before 4.5 the number of a completed transaction is 100. In 4.5 it is 0, and the words must
    /// say it, too.
    private static func state(_ values: MessageValues, _ generation: SignatureGeneration, _ code: IPGResultCode)
        throws(IPGMessageError) -> OrderState
    {
        guard code == .good else {
            return OperationStatus(code).map { .failed($0) } ?? .pending
        }
        guard let number = Int(try values.required("IPG_TrnStatus")) else { throw .invalid("IPG_TrnStatus") }
        let isCompleted = number == (generation == .sorted ? 0 : 100)
        guard isCompleted else {
            guard let status = OperationStatus(IPGResultCode(rawValue: number)) else { return .pending }
            return status == .completed ? .unclear : .failed(status)
        }
        guard generation == .sorted else { return .completed }
        let words = (values["IPG_TrnStatusMsg"] ?? "").lowercased()
        return words.hasPrefix("transaction completed") ? .completed : .unclear
    }

    /// The members of a JSON object, or the children of an XML element as such.
    private static func document(_ body: [UInt8]) throws(IPGMessageError) -> JSON {
        guard body.first(where: { $0 > 0x20 }) == UInt8(ascii: "<") else {
            do throws(JSONError) { return try JSON(parsing: body) } catch { throw .json(error) }
        }
        let root: XMLElement
        do throws(XMLError) { root = try XMLElement(parsing: body) } catch { throw .xml(error) }
        return members(root)
    }

    private static func members(_ element: XMLElement) -> JSON {
        .object(
            element.children.map {
                JSON.Member($0.name, $0.children.isEmpty ? .text($0.text) : members($0))
            })
    }
}
