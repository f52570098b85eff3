public import Bytes

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

    public init(
        sessionKeys: SessionKeys, format: Format, encipherment: Encipherment, pinForm: PINForm = .format2,
        macLength: Int = 8
    ) {
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
        sessionKeys: .common, format: .format2(transaction: true), encipherment: .countedAndPadded,
        pinForm: .format2OrVisa)

    /// M/Chip. Source: pyemv.
    public static let mastercard = SecureMessagingScheme(
        sessionKeys: .commonCounting, format: .format2(transaction: true), encipherment: .paddedWhereNeeded)

    /// Interac. Source: pyemv, with values from a host security module.
    public static let interac = SecureMessagingScheme(
        sessionKeys: .common, format: .format2(transaction: false), encipherment: .paddedWhereNeeded)
}

extension SecureMessagingScheme {
    /// The data of PIN CHANGE/UNBLOCK before protection, 8 bytes.
    ///
    /// - Parameters:
    ///   - current: The PIN that is replaced, for P2 01; nil for P2 02.
    ///   - cardKeys: The card's master keys.
    /// - Throws: ``PINBlockError/form`` if the scheme has no form with the current PIN.
    public func encode(newPIN pin: PIN, replacing current: PIN? = nil, cardKeys: MasterKeySet) throws(PINBlockError)
        -> SecretBytes
    {
        guard let key = try visaKey(current, cardKeys) else { return try PINBlock.format2.encode(pin) }
        return VisaPINBlock.encode(pin, replacing: current, cardKey: key)
    }

    /// The new PIN in `block`, on the card's side.
    public func decode(newPIN block: SecretBytes, replacing current: PIN? = nil, cardKeys: MasterKeySet)
        throws(PINBlockError) -> PIN
    {
        guard let key = try visaKey(current, cardKeys) else { return try PINBlock.format2.decode(block) }
        return try VisaPINBlock.decode(block, replacing: current, cardKey: key)
    }

    /// The key for Visa's form; nil if the form is ISO 9564-1 format 2.
    private func visaKey(_ current: PIN?, _ cardKeys: MasterKeySet) throws(PINBlockError) -> TDESKey? {
        switch (pinForm, current) {
        case (.format2, nil), (.format2OrVisa, nil): return nil
        case (.format2, .some): throw .form
        case (.format2OrVisa, .some), (.visa, _):
            guard case .tdes(let key) = cardKeys.applicationCryptogram else { throw .form }
            return key
        }
    }
}

/// Why the data of a command are rejected (ISO/IEC 7816-4, 5.1.3).
public enum SecureMessagingError: Error, Equatable, Sendable {
    /// There is no MAC: SW 6987, expected secure messaging data objects missing.
    case missing
    /// The MAC is wrong, or the protected data do not conform to the scheme: SW 6988, secure
    /// messaging data objects incorrect.
    case incorrect
}

extension SecureMessagingError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .missing: "the command has no MAC, and needs one"
        case .incorrect: "the MAC of the command, or its protected data, are wrong"
        }
    }
}
