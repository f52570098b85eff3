internal import Bytes
public import XMLDocument

/// The answer to a lookup or to an authentication message.
public struct CardinalAnswer: Sendable, Equatable {
    /// The first of the numbers that is not 0: the field may be a list with commas.
    public let errorNumber: CardinalErrorNumber
    /// Cardinal's words, on one line.
    public let errorDescription: String
    /// `TransactionId`, at most 20 characters.
    public let transactionID: String?
    public let values: AuthenticationValues
    /// Where the challenge takes place: https only.
    public let challengeURL: String?
    /// What is handed to the browser's script or the app for the challenge.
    public let payload: String?

    /// Reads an answer. Names are found without regard to case.
    public init(parsing document: [UInt8]) throws(CardinalMessageError) {
        let root: XMLElement
        do throws(XMLError) { root = try XMLElement(parsing: document) } catch { throw .xml(error) }
        guard root.name == "CardinalMPI" else { throw .otherMessage }
        var fields: [String: String] = [:]
        for child in root.children {
            guard child.children.isEmpty, fields.updateValue(child.text, forKey: child.name.lowercased()) == nil else {
                throw .doubled
            }
        }
        func field(_ name: String) -> String? {
            fields[name.lowercased()].flatMap { $0.isEmpty ? nil : $0 }
        }
        var number = 0
        for text in (field("ErrorNo") ?? "0").split(separator: ",", omittingEmptySubsequences: false) {
            guard let found = Int(text.filter { $0 != " " }) else { throw .errorNumber }
            if number == 0 { number = found }
        }
        errorNumber = CardinalErrorNumber(rawValue: number)
        errorDescription = (field("ErrorDesc") ?? "").onOneLine(atMost: 200)
        transactionID = field("TransactionId").flatMap { $0.utf8.count <= 20 && !$0.hasSteeringCharacters ? $0 : nil }
        values = AuthenticationValues(field)
        challengeURL = field("ACSUrl").flatMap {
            $0.hasPrefix("https://") && $0.utf8.count <= 2048 && !$0.hasSteeringCharacters ? $0 : nil
        }
        payload = field("Payload").flatMap { $0.utf8.count <= 5000 ? $0 : nil }
    }
}

/// Why an answer of Cardinal is not read. No case repeats it.
public enum CardinalMessageError: Error, Sendable, Equatable {
    case xml(XMLError)
    case otherMessage
    /// A field is there twice, or has fields itself.
    case doubled
    /// `ErrorNo` is not a number or a list of them.
    case errorNumber
}

extension CardinalMessageError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .xml(let error): "\(error)"
        case .otherMessage: "not a message of Cardinal"
        case .doubled: "a field of the message is there twice"
        case .errorNumber: "the message's error number is not a number"
        }
    }
}
