/// The options that EMV leaves open for the protection of an issuer's commands (EMV 4.4 Book 2, 9).
public struct SecureMessagingScheme: Sendable, Equatable {
    /// The derivation of a transaction's keys from the card's master keys.
    public enum SessionKeys: Sendable, Equatable {
        /// From the first application cryptogram, the same for all commands (A1.3.1).
        case common
        /// As ``common``, but the cryptogram is incremented with each command, also in the message
        /// (M/Chip).
        case commonCounting
        /// Visa's derivation, triple DES: the ATC is combined by exclusive or with the last two
        /// bytes of the left half, its inverse with those of the right half.
        case visa
    }

    public enum Format: Sendable, Equatable {
        /// Data objects 81 or 87, then 8E (9.2.1.1). The application cryptogram precedes the
        /// message; with chaining, from the second command on, the whole MAC of the previous
        /// command (9.2.3.1, D2.3.1).
        case format1(chaining: Bool)
        /// Bare values (9.2.1.2). The message is CLA INS P1 P2 Lc ‖ data; with `transaction`, ATC ‖
        /// application cryptogram precede the data.
        case format2(transaction: Bool)
    }

    /// The padding and encipherment of data (A1.1).
    public enum Encipherment: Sendable, Equatable {
        /// 80 00 … always, CBC.
        case padded
        /// 80 00 … unless the data is whole blocks, CBC.
        case paddedWhereNeeded
        /// A leading length byte, 80 00 … always, ECB.
        case countedAndPadded
    }

    /// The clear forms of a new PIN, by P2 of PIN CHANGE/UNBLOCK.
    public enum PINForm: Sendable, Equatable {
        /// P2 02: ISO 9564-1 format 2.
        case format2
        /// P2 02: ISO 9564-1 format 2; P2 01, with the current PIN: ``VisaPINBlock``.
        case format2OrVisa
        /// ``VisaPINBlock`` for both.
        case visa
    }

    public let sessionKeys: SessionKeys
    public let format: Format
    public let encipherment: Encipherment
    public let pinForm: PINForm
    /// The bytes of a MAC that are sent, 4 to 8.
    public let macLength: Int

    public init(sessionKeys: SessionKeys, format: Format, encipherment: Encipherment, pinForm: PINForm = .format2, macLength: Int = 8) {
        precondition((4...8).contains(macLength))
        self.sessionKeys = sessionKeys
        self.format = format
        self.encipherment = encipherment
        self.pinForm = pinForm
        self.macLength = macLength
    }

    /// The low half of the class byte, which indicates the protection of a command (9.1).
    public var classIndication: UInt8 {
        switch format {
        case .format1: 0x0C
        case .format2: 0x04
        }
    }
}

extension SecureMessagingScheme {
    /// Common Core Definitions: format 1 with chaining, MACs of 4 bytes (EMV 4.4 Book 2, part IV,
    /// 9).
    public static let commonCore = SecureMessagingScheme(
        sessionKeys: .common, format: .format1(chaining: true), encipherment: .padded, macLength: 4)

    /// Visa, for cryptogram versions 10 and 18. Source: pyemv, with values from a host security
    /// module.
    public static let visa = SecureMessagingScheme(
        sessionKeys: .visa, format: .format2(transaction: true), encipherment: .countedAndPadded, pinForm: .visa)

    /// Visa, for cryptogram version 22. Source: pyemv.
    public static let visaCommon = SecureMessagingScheme(
        sessionKeys: .common, format: .format2(transaction: true), encipherment: .countedAndPadded, pinForm: .format2OrVisa)

    /// M/Chip. Source: pyemv.
    public static let mastercard = SecureMessagingScheme(
        sessionKeys: .commonCounting, format: .format2(transaction: true), encipherment: .paddedWhereNeeded)

    /// Interac. Source: pyemv, with values from a host security module.
    public static let interac = SecureMessagingScheme(
        sessionKeys: .common, format: .format2(transaction: false), encipherment: .paddedWhereNeeded)
}
