private import Bytes

/// The context of a transaction that helps to interpret its values.
public struct ValueContext: Sendable {
    /// The first five bytes of the AID, which determine the coding of the issuer application data.
    public var rid: [UInt8]?
    /// Nil if a log or a caller does not specify it.
    public var interface: CardInterface?
    /// The number of the contactless kernel (EMV Contactless Book B, 3.3.2.5); nil by contact, or
    /// if it is unknown.
    public var kernel: Int?
    /// The numeric code of the transaction's currency, tag `5F2A`.
    public var currency: UInt64?
    /// The numeric code of the application's currency, tag `9F42`: that of the amounts in the CVM
    /// list.
    public var applicationCurrency: UInt64?
    /// The coding of tag `91`, if the card's cryptogram version is known.
    public var issuerResponse: IssuerResponseMethod?
    /// Tag `9F11`, the character set of the preferred name.
    public var codeTable: CodeTable?

    public init(
        rid: [UInt8]? = nil, currency: UInt64? = nil, applicationCurrency: UInt64? = nil, codeTable: CodeTable? = nil,
        issuerResponse: IssuerResponseMethod? = nil, interface: CardInterface? = nil, kernel: Int? = nil
    ) {
        self.rid = rid
        self.currency = currency
        self.applicationCurrency = applicationCurrency
        self.codeTable = codeTable
        self.issuerResponse = issuerResponse
        self.interface = interface
        self.kernel = kernel
    }

    /// The context of data objects beside each other: one of them may name the character set of a
    /// preferred name (tag `9F11`), also for the templates within.
    ///
    /// - Parameter nodes: From the first of the objects on, with what is in them.
    package func beside(_ nodes: ArraySlice<TLVNode>, of bytes: [UInt8]) -> ValueContext {
        guard let depth = nodes.first?.depth,
            let node = nodes.prefix(while: { $0.depth >= depth }).first(where: {
                $0.depth == depth && $0.tag == .issuerCodeTableIndex
            })
        else { return self }
        var context = self
        context.codeTable = node.value.count == 1 ? CodeTable(index: bytes[node.value.lowerBound]) : nil
        return context
    }

    /// The payment system of the application; nil if it is unknown.
    var system: PaymentSystem? {
        let system = rid.map { PaymentSystem(rid: $0) }
        return system == .unknown ? nil : system
    }
}

/// The two codings of tag `91` (EMV 4.4 Book 2, 8.2).
public enum IssuerResponseMethod: Sendable, Equatable {
    /// ARPC (8 bytes) and authorisation response code (2 bytes).
    case method1
    /// ARPC (4 bytes), card status update (4 bytes) and up to 8 bytes defined by the issuer.
    case method2

    /// The allowed lengths of the value, in bytes.
    public var lengths: ClosedRange<Int> { self == .method1 ? 10...10 : 8...16 }

    public var summary: String {
        self == .method1
            ? "method 1: ARPC (8 bytes) and response code (2)"
            : "method 2: ARPC (4 bytes), card status update (4) and up to 8 bytes of the issuer's own"
    }
}

/// The meaning of a data element's value as text, bit by bit if it is a bit field.
public enum ValueDescription {
    /// Lines that explain `value` as that of `tag`; empty if there is nothing to explain.
    public static func lines(_ tag: Tag, _ value: [UInt8], in context: ValueContext = ValueContext()) -> [String] {
        if let own = Kernel8Values.fields(tag, value, context) ?? SchemeValues.lines(tag, value, context) { return own }
        return switch tag {
        case .terminalVerificationResults, .issuerActionCodeDefault, .issuerActionCodeDenial, .issuerActionCodeOnline:
            verification(value, context, isResults: tag == .terminalVerificationResults)
        case .transactionStatusInformation:
            meanings(TransactionStatusInformation.self, value, none: "nothing performed")
        case .applicationInterchangeProfile: profile(value, context)
        case .applicationUsageControl: meanings(ApplicationUsageControl.self, value, none: "no use allowed")
        case .terminalCapabilities: meanings(TerminalCapabilities.self, value, none: "none")
        case .additionalTerminalCapabilities: meanings(AdditionalTerminalCapabilities.self, value, none: "none")
        case .terminalTransactionQualifiers: meanings(TerminalTransactionQualifiers.self, value, none: "no bit set")
        case .cardTransactionQualifiers: meanings(CardTransactionQualifiers.self, value, none: "no bit set")
        case .cvmResults: cvmResults(value, context)
        case .cvmList: cvmList(value, context)
        case .cryptogramInformationData: value.count == 1 ? CryptogramInformationData(rawValue: value[0]).meanings : []
        case .applicationFileLocator:
            ApplicationFileLocator(value).map { $0.entries.map(\.summary) } ?? [
                ValueFault.applicationFileLocator.rawValue
            ]
        case .pdol, .cdol1, .cdol2, .ddol, .tdol, .logFormat, .selectionDataObjectList: dol(value, context)
        case .staticDataAuthenticationTagList: tagList(value, context)
        case .issuerApplicationData: IssuerApplicationData(value, rid: context.rid)?.lines ?? []
        case .issuerAuthenticationData: issuerAuthentication(value, context.issuerResponse)
        case .issuerScriptResults where TagDictionary.name(tag, context) == TagDictionary[tag]?.name:
            scriptResults(value)
        case .adfName, .dfName, .applicationIdentifierTerminal, .ddfName: name(value)
        case .applicationPriorityIndicator: value.count == 1 ? priority(value[0]) : []
        case .applicationPreferredName: ["\"\(context.codeTable?.text(value) ?? printable(value))\""]
        case .languagePreference: languages(value)
        case .track2EquivalentData, .track2DataContactless: Track2Description.lines(value)
        default:
            OtherValues.lines(tag, value, context) ?? Kernel8Values.lines(tag, value) ?? NumberDescription.lines(
                tag, value, context)
                ?? text(tag, value)
        }
    }

    private static func meanings<Field: BitField>(_ field: Field.Type, _ value: [UInt8], none: String) -> [String] {
        guard let field = Field(value) else { return [WrongLength.line("\(Field.byteCount)")] }
        let meanings = field.meanings + field.reservedMeanings
        return meanings.isEmpty ? [none] : meanings
    }

    static func cvmList(_ value: [UInt8], _ context: ValueContext) -> [String] {
        guard let list = CVMList(value) else { return [ValueFault.cvmList.rawValue] }
        let currency = context.applicationCurrency.flatMap { CurrencyCode(number: $0) }
        func amount(_ value: UInt32) -> String { currency?.amount(UInt64(value)) ?? "\(value)" }
        return ["X = \(amount(list.x)), Y = \(amount(list.y))"] + list.rules.map(\.summary)
    }

    /// Three bytes. The last byte has three values; the CVM code 3F means that no CVM was performed
    /// (EMV 4.4 Book 4, annex A4). On-device verification is 01 00 02 to kernels 2, 4 and 5 (EMV
    /// Contactless Book C-2, 7.5).
    static func cvmResults(_ value: [UInt8], _ context: ValueContext) -> [String] {
        if context.interface == .contactless, value == [0x01, 0x00, 0x02] {
            return ["Verified on the consumer's device (CDCVM): successful"]
        }
        guard value.count == 3 else { return [ValueFault.cvmResults.rawValue] }
        guard let results = CVMResults(value) else {
            return [
                "\(CVMCode(rawValue: value[0]).summary), \(CVMCondition(rawValue: value[1]).summary): a result reserved for EMV"
            ]
        }
        guard results.code == .notPerformed else { return [results.summary] }
        return ["\(results.summary)" + (results.result == .unknown ? "" : ": \(results.result.summary)")]
    }

    /// TVR with the low bits of byte 5 as in the relay resistance protocol; they have other
    /// meanings in contact kernels (EMV Contactless Book C-2, A.1).
    private static func verification(_ value: [UInt8], _ context: ValueContext, isResults: Bool) -> [String] {
        guard context.interface == .contactless, value.count == 5, value[4] & 0x0F != 0 else {
            return meanings(TerminalVerificationResults.self, value, none: "no bit set")
        }
        let contact = TerminalVerificationResults(Array(value[..<4]) + [value[4] & 0xF0])?.meanings ?? []
        return contact + relayResistance(value[4], isResults: isResults)
    }

    /// The low bits of the last byte of the TVR. An action code has none that say whether the
    /// protocol was performed.
    static func relayResistance(_ byte: UInt8, isResults: Bool) -> [String] {
        let performed = ["not supported", "not performed", "performed", "in a reserved state"][Int(byte & 0x03)]
        return (byte & 0x08 == 0 ? [] : ["Relay resistance threshold exceeded"])
            + (byte & 0x04 == 0 ? [] : ["Relay resistance time limits exceeded"])
            + (isResults ? ["Relay resistance protocol \(performed)"] : [])
    }

    /// AIP with the additional bits of contactless kernels (EMV Contactless Books C-2 and C-3).
    private static func profile(_ value: [UInt8], _ context: ValueContext) -> [String] {
        guard context.interface == .contactless, value.count == 2, let system = context.system else {
            return meanings(ApplicationInterchangeProfile.self, value, none: "nothing supported")
        }
        let own: [(byte: Int, mask: UInt8, meaning: String)] =
            switch system {
            case .americanExpress: [(2, 0x80, "EMV mode is supported"), (2, 0x40, "Contactless mobile is supported")]
            case .mastercard, .jcb:
                [
                    (1, 0x02, "On-device cardholder verification is supported"), (2, 0x80, "EMV mode is supported"),
                    (2, 0x01, "Relay resistance protocol is supported"),
                ]
            case .visa: [(2, 0x80, "Mag-stripe (MSD) mode is supported")]
            default: []
            }
        let lines = KernelBits(count: 2, own).meanings(value, in: ApplicationInterchangeProfile.self)
        return lines.isEmpty ? ["nothing supported"] : lines
    }

    static func dol(_ value: [UInt8], _ context: ValueContext) -> [String] {
        do {
            return try DOL(parsing: value).entries.map {
                "\($0.tag) \(TagDictionary.name($0.tag, context, count: $0.length)), \($0.length) byte\($0.length == 1 ? "" : "s")"
            }
        } catch {
            return ["\(ValueFault.dataObjectList.rawValue): \(error)"]
        }
    }

    static func tagList(_ value: [UInt8], _ context: ValueContext) -> [String] {
        var at = 0
        var lines: [String] = []
        while at < value.count {
            guard let read = try? TLVWalker.readTag(in: value.span, at: at, end: value.count) else {
                return lines + [ValueFault.tagList.rawValue]
            }
            lines.append("\(read.tag) \(TagDictionary.name(read.tag, context))")
            at = read.end
        }
        return lines
    }

    /// By the method of the card's version. If it is unknown, ten bytes are method 1, eight may be
    /// only an ARPC or method 2, and other lengths are method 2.
    private static func issuerAuthentication(_ value: [UInt8], _ method: IssuerResponseMethod?) -> [String] {
        if let method, !method.lengths.contains(value.count) {
            return (value.count == 8 ? ["ARPC \(value.hex)"] : []) + [
                "\(value.count) bytes; the card's version requires \(method.summary)"
            ]
        }
        switch value.count {
        case 8 where method == nil:
            return [
                "an ARPC of method 1 without its response code, or ARPC (4) and card status update (4) of method 2: the card's version tells"
            ]
        case 10 where method != .method2:
            let code = printable(Array(value[8...]))
            let meaning = TransactionCodes.responseCode(code).map { ", \($0)" } ?? ""
            return ["ARPC \(Array(value[..<8]).hex)", "authorisation response code \"\(code)\"\(meaning)"]
        case 8...16:
            guard let update = CardStatusUpdate(Array(value[4..<8])) else { return [] }
            let tries =
                update.meanings.contains("Update PIN try counter") ? ["PIN try counter \(update.pinTryCounter)"] : []
            return ["ARPC by method 2 \(Array(value[..<4]).hex)", "card status update \(update)"] + update.meanings + [
                update.counters
            ]
                + tries
                + (value.count > 8 ? ["proprietary authentication data \(Array(value[8...]).hex)"] : [])
        default: return []
        }
    }

    /// Five bytes for each script: its result, the number of the failed command, its identifier
    /// (EMV 4.4 Book 4, annex A5).
    private static func scriptResults(_ value: [UInt8]) -> [String] {
        guard !value.isEmpty, value.count % 5 == 0 else { return [ValueFault.scriptResults.rawValue] }
        return stride(from: 0, to: value.count, by: 5).map { start in
            let end = ["not performed", "failed", "successful"]
            let (first, identifier) = (value[start], Array(value[start + 1..<start + 5]).hex)
            let result = first >> 4 < 3 ? end[Int(first >> 4)] : "ended in a reserved way"
            let place =
                first & 0x0F == 0 ? "" : first & 0x0F == 15 ? " at command 15 or later" : " at command \(first & 0x0F)"
            return "script \(identifier): \(result)\(place)"
        }
    }

    /// A name of letters as text; an AID with its payment system.
    private static func name(_ value: [UInt8]) -> [String] {
        if !value.isEmpty, value.allSatisfy({ (0x20...0x7E).contains($0) }) { return ["\"\(printable(value))\""] }
        return value.count < 5 ? [] : PaymentSystem(rid: value).name.map { [$0] } ?? []
    }

    /// Bit 8 and bits 4 to 1 (EMV 4.4 Book 1, table 48).
    private static func priority(_ value: UInt8) -> [String] {
        let order = value & 0x0F
        return [
            value & 0x80 == 0
                ? "may be selected without the cardholder's confirmation"
                : "not to be selected without the cardholder's confirmation",
            order == 0 ? "no priority" : "priority \(order)",
        ]
    }

    private static func languages(_ value: [UInt8]) -> [String] {
        // Cards pad with spaces and zeros.
        let value = Array(value.prefix(value.lastIndex { $0 != 0x20 && $0 != 0 }.map { $0 + 1 } ?? 0))
        let codes = stride(from: 0, to: value.count, by: 2).map {
            printable(Array(value[$0..<min($0 + 2, value.count)]))
        }
        let names = codes.map { LanguageCode.name($0) ?? "unknown" }
        return value.isEmpty ? [] : ["\"\(printable(value))\": \(names.joined(separator: ", "))"]
    }

    private static func text(_ tag: Tag, _ value: [UInt8]) -> [String] {
        guard let format = TagDictionary[tag]?.format else { return [] }
        switch format {
        case .alphabetic, .alphanumeric, .alphanumericSpecial:
            return value.isEmpty ? [] : ["\"\(printable(value))\""]
        case .numeric
        where value.count == 3
            && [.transactionDate, .applicationExpirationDate, .applicationEffectiveDate].contains(tag):
            return [date(value)]
        case .numeric where value.count == 3 && tag == .transactionTime:
            return [time(value)]
        default:
            return []
        }
    }

    /// YYMMDD; years up to 49 belong to this century (EMV 4.4 Book 4, 6.7.3).
    private static func date(_ value: [UInt8]) -> String {
        guard let year = BCD.number(value[..<1]), let month = BCD.number(value[1..<2]),
            let day = BCD.number(value[2...])
        else {
            return ValueFault.date.rawValue
        }
        let text = "\(year < 50 ? "20" : "19")\(value[0].hex)-\(value[1].hex)-\(value[2].hex)"
        let days: UInt64 =
            switch month {
            case 4, 6, 9, 11: 30
            case 2: year % 4 == 0 ? 29 : 28
            default: 31
            }
        return (1...12).contains(month) && (1...days).contains(day) ? text : "\(text), an impossible date"
    }

    private static func time(_ value: [UInt8]) -> String {
        guard let hour = BCD.number(value[..<1]), let minute = BCD.number(value[1..<2]),
            let second = BCD.number(value[2...])
        else {
            return ValueFault.time.rawValue
        }
        let text = "\(value[0].hex):\(value[1].hex):\(value[2].hex)"
        return hour < 24 && minute < 60 && second < 60 ? text : "\(text), an impossible time"
    }

    /// `bytes` as ASCII, every byte outside 20–7E shown as a dot, so that a card cannot send
    /// control sequences to a screen.
    public static func printable(_ bytes: [UInt8]) -> String {
        String(printable: bytes)
    }
}

extension ValueDescription {
    /// Whether ``bits(_:_:)`` applies to `value` in `context`; false if the payment system or the
    /// interface gives the bits another meaning.
    public static func hasBits(_ tag: Tag, _ value: [UInt8], in context: ValueContext) -> Bool {
        switch tag {
        case .terminalVerificationResults, .applicationInterchangeProfile: context.interface != .contactless
        case .issuerActionCodeDefault, .issuerActionCodeDenial, .issuerActionCodeOnline, .transactionStatusInformation,
            .applicationUsageControl, .additionalTerminalCapabilities:
            true
        case .terminalCapabilities: context.kernel != 8
        case .terminalTransactionQualifiers, .cardTransactionQualifiers: SchemeValues.lines(tag, value, context) == nil
        default: false
        }
    }
}

/// One bit of a data element made of bits.
public struct NamedBit: Equatable, Sendable {
    /// From 1.
    public let byte: Int
    /// 8 to 1.
    public let bit: Int
    public let isSet: Bool
    /// "reserved" for a bit without a meaning.
    public let meaning: String
}

extension ValueDescription {
    /// Every bit of `value` that has a meaning or is set, in its order; nil if `tag` is not a bit
    /// field or the length differs.
    public static func bits(_ tag: Tag, _ value: [UInt8]) -> [NamedBit]? {
        switch tag {
        case .terminalVerificationResults, .issuerActionCodeDefault, .issuerActionCodeDenial, .issuerActionCodeOnline:
            bits(TerminalVerificationResults.self, value)
        case .transactionStatusInformation: bits(TransactionStatusInformation.self, value)
        case .applicationInterchangeProfile: bits(ApplicationInterchangeProfile.self, value)
        case .applicationUsageControl: bits(ApplicationUsageControl.self, value)
        case .terminalCapabilities: bits(TerminalCapabilities.self, value)
        case .additionalTerminalCapabilities: bits(AdditionalTerminalCapabilities.self, value)
        case .terminalTransactionQualifiers: bits(TerminalTransactionQualifiers.self, value)
        case .cardTransactionQualifiers: bits(CardTransactionQualifiers.self, value)
        default: nil
        }
    }

    private static func bits<Field: BitField>(_ type: Field.Type, _ value: [UInt8]) -> [NamedBit]? {
        guard let field = Field(value) else { return nil }
        return (0..<Field.byteCount * 8).compactMap { index in
            let (byte, bit) = (index / 8 + 1, 8 - index % 8)
            let one = Field(byte: byte, bit: bit)
            let isSet = field.contains(one)
            let meaning = Field.meanings.first { $0.0 == one }?.1
            return meaning == nil && !isSet
                ? nil : NamedBit(byte: byte, bit: bit, isSet: isSet, meaning: meaning ?? "reserved")
        }
    }
}
