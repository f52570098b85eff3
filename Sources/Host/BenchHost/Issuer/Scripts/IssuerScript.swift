internal import Bytes
internal import CardCryptography
internal import SmartCard
internal import TLV

/// A script of the issuer: commands that are sent to a card one after the other (EMV 4.4 Book 3,
/// 10.10).
public struct IssuerScript: Sendable {
    public enum Moment: Sendable {
        /// Template `71`.
        case beforeFinalCryptogram
        /// Template `72`.
        case afterFinalCryptogram
    }

    public var moment: Moment
    /// Tag `9F18`, 4 bytes; nil leaves it out.
    public var identifier: [UInt8]?
    public var commands: [ScriptCommand]
    /// Whether to change the last byte of each MAC, so that a card must refuse it.
    public var spoilsMACs = false

    public init(_ moment: Moment, identifier: [UInt8]? = nil, _ commands: [ScriptCommand]) {
        self.moment = moment
        self.identifier = identifier
        self.commands = commands
    }

    /// The maximum total length of the scripts in one answer that every terminal accepts, in bytes
    /// (EMV 4.4 Book 4, 6.3.9).
    static let maximumTotalLength = 128
}

extension IssuerScript {
    /// The templates for one transaction, in the order given.
    ///
    /// - Parameter messaging: The secure messaging of the transaction, before its first command.
    ///   MACs are computed in the order in which the card receives the commands: scripts before the
    ///   final cryptogram first.
    static func encode(
        _ scripts: [IssuerScript], _ messaging: SecureMessaging, cardKeys: MasterKeySet
    ) throws(IssuerScriptError) -> [[UInt8]] {
        var messaging = messaging
        var templates: [Int: [UInt8]] = [:]
        for moment in [Moment.beforeFinalCryptogram, .afterFinalCryptogram] {
            for (index, script) in scripts.enumerated() where script.moment == moment {
                templates[index] = try script.template(&messaging, cardKeys)
            }
        }
        let ordered = scripts.indices.compactMap { templates[$0] }
        let total = ordered.reduce(0) { $0 + $1.count }
        guard total <= maximumTotalLength else { throw .totalLength(total) }
        return ordered
    }

    private func template(_ messaging: inout SecureMessaging, _ cardKeys: MasterKeySet) throws(IssuerScriptError)
        -> [UInt8]
    {
        var contents = TLVBuilder()
        if let identifier {
            guard identifier.count == 4 else { throw .identifier }
            contents.append(.issuerScriptIdentifier, identifier)
        }
        for command in commands {
            var protected = try command.protected(by: &messaging, cardKeys: cardKeys)
            if spoilsMACs, let last = protected.data.indices.last { protected.data[last] ^= 0x01 }
            contents.append(.command, protected.bytes)
        }
        return tlv(moment == .beforeFinalCryptogram ? .issuerScriptTemplate1 : .issuerScriptTemplate2, contents.bytes)
    }
}

/// Why a script cannot be sent.
public enum IssuerScriptError: Error, Equatable, Sendable {
    /// Tag `9F18` does not have 4 bytes.
    case identifier
    /// A command's data field would have `count` bytes, more than 255.
    case commandLength(Int)
    /// All scripts together would have `count` bytes, more than every terminal accepts.
    case totalLength(Int)
    /// The card's cryptogram version does not define this form of the command, or its secure
    /// messaging is unknown.
    case form
}

extension IssuerScriptError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .identifier: "an issuer script identifier has 4 bytes: give 4, or none"
        case .commandLength(let count):
            "a script command has \(count) bytes of data, more than the maximum of 255: send less at once"
        case .totalLength(let count):
            "the scripts have \(count) bytes, more than the maximum of 128: send fewer commands at once"
        case .form: "the card's cryptogram version does not support this script command: send another one"
        }
    }
}
