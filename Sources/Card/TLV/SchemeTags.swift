/// The interface between card and terminal.
public enum CardInterface: Sendable, Equatable {
    case contact, contactless
}

/// The payment systems' definitions of the tags that EMV leaves to them, `9F50` to `9F7F` and a few
/// more, each for its own cards and kernels.
///
/// Sources: the annexes of EMV Contactless Books C-2 to C-7 with the names of open implementations
/// (openemv/emv-utils `emv_tags.h`, `emv_fields.h`; devnied/EMV-NFC-Paycard-Enrollment
/// `EmvTags.java`), PBOC 3.0 as in UnionPay's open tools.
enum SchemeTags {
    struct Entry {
        /// Empty for a kernel that cards of every system may request.
        let systems: [PaymentSystem]
        /// Nil for both.
        let interface: CardInterface?
        let definition: TagDefinition
    }

    /// The definitions of `tag` by the application's payment system, those for `interface` first;
    /// all definitions if the system is unknown.
    static func definitions(_ tag: Tag, _ system: PaymentSystem, _ interface: CardInterface?) -> [TagDefinition] {
        guard let entries = byTag[tag]?.filter({ $0.systems.isEmpty || $0.systems.contains(system) }) else { return [] }
        let exact = entries.filter { $0.interface == interface }
        let others = entries.filter { $0.interface != interface && (interface == nil || $0.interface == nil) }
        return (exact + others).map(\.definition)
    }

    /// Those of every system.
    static func definitions(_ tag: Tag) -> [TagDefinition] { (byTag[tag] ?? []).map(\.definition) }

    /// The names of `tag`, each with its systems: of those that allow a value of `count` bytes, or
    /// of all if there are none.
    static func names(_ tag: Tag, count: Int?) -> [String] {
        let entries = byTag[tag] ?? []
        let fitting = fitting(tag, count: count)
        return (fitting.isEmpty ? entries : fitting).map { entry in
            let systems = entry.systems.compactMap(\.name).joined(separator: ", ")
            return entry.definition.name.contains("(\(systems))")
                ? entry.definition.name : "\(entry.definition.name) (\(systems))"
        }
    }

    /// The system of a value of `count` bytes, if only one has such a value for a tag that is not
    /// EMV's.
    static func system(_ tag: Tag, count: Int) -> PaymentSystem? {
        guard TagDictionary[tag] == nil, let first = fitting(tag, count: count).first?.systems.first else { return nil }
        return fitting(tag, count: count).allSatisfy { $0.systems == [first] } ? first : nil
    }

    private static func fitting(_ tag: Tag, count: Int?) -> [Entry] {
        (byTag[tag] ?? []).filter { entry in count.map { entry.definition.length.contains($0) } ?? true }
    }

    /// The definition of `tag` by the number of a contactless kernel.
    static func definition(_ tag: Tag, kernel: Int) -> TagDefinition? {
        byTag[tag]?.first { $0.definition.kernels.contains(kernel) }?.definition
    }

    /// The systems whose definitions of such tags are complete here.
    static let systems: [PaymentSystem] = [
        .visa, .mastercard, .americanExpress, .jcb, .discover, .diners, .unionPay, .interac,
    ]

    /// EMV leaves these to the payment systems (EMV 4.4 Book 3, annex B).
    static func isLeftToSystems(_ tag: Tag) -> Bool {
        (0x9F50...0x9F7F).contains(tag.rawValue) && tag != .issuerScriptResults
    }

    private static let byTag = Dictionary(grouping: entries, by: \.definition.tag)

    private static func entries(
        _ systems: [PaymentSystem], interface: CardInterface?, source: TagDefinition.Source,
        rows: [(tag: Tag, name: String, length: ClosedRange<Int>)]
    ) -> [Entry] {
        rows.map {
            Entry(
                systems: systems, interface: interface,
                definition: TagDefinition(
                    tag: $0.tag, name: $0.name, format: .binary, length: $0.length, source: source,
                    kernels: kernels(systems, interface)))
        }
    }

    /// By the kernel identifiers of EMV Contactless Book B, 3.3.2.5.
    private static func kernels(_ systems: [PaymentSystem], _ interface: CardInterface?) -> [Int] {
        guard interface != .contact else { return [] }
        return systems.compactMap(\.contactlessKernel)
    }

    private static let entries: [Entry] =
        visa + mastercard + americanExpress + jcb + discover + unionPay + kernel2 + kernel8
        + entries(
            [.interac], interface: .contactless, source: .terminal,
            rows: [
                (0x9F58, "Merchant Type Indicator", 1...1), (0x9F59, "Terminal Transaction Information (TTI)", 3...3),
                (0x9F5A, "Terminal Transaction Type (TTT)", 1...1),
                (0x9F5D, "Terminal Contactless Receipt Required Limit", 6...6),
            ])

    // MARK: Visa

    private static let visa: [Entry] =
        entries(
            [.visa], interface: nil, source: .card,
            rows: [
                (0x9F51, "Application Currency Code (Visa)", 2...2),
                (0x9F52, "Application Default Action (ADA)", 2...6),
                (0x9F53, "Consecutive Transaction Counter International Limit (CTCIL)", 1...1),
                (0x9F54, "Cumulative Total Transaction Amount Limit (CTTAL)", 6...6),
                (0x9F55, "Geographic Indicator", 1...1),
                (0x9F56, "Issuer Authentication Indicator", 1...1), (0x9F57, "Issuer Country Code (Visa)", 2...2),
                (0x9F58, "Consecutive Transaction Counter Limit (CTCL)", 1...1),
                (0x9F59, "Consecutive Transaction Counter Upper Limit (CTCUL)", 1...1),
                (0x9F5A, "Application Program Identifier", 1...16),
                (0x9F5C, "Cumulative Total Transaction Amount Upper Limit (CTTAUL)", 6...6),
                (0x9F5D, "Available Offline Spending Amount (AOSA)", 6...6),
                (0x9F5E, "Consecutive Transaction International Upper Limit (CTIUL)", 1...1),
                (0x9F63, "Offline Counter Initial Value", 1...1), (0x9F68, "Card Additional Processes (CAP)", 4...4),
                (.cardAuthenticationRelatedData, "Card Authentication Related Data", 5...16),
                (0x9F6B, "Card CVM Limit", 6...6),
                (.cardTransactionQualifiers, "Card Transaction Qualifiers (CTQ)", 2...2),
                (.formFactorIndicator, "Form Factor Indicator (FFI)", 4...4),
                (0x9F7C, "Customer Exclusive Data (CED)", 0...32),
            ])
        + entries(
            [.visa], interface: nil, source: .terminal,
            rows: [(.terminalTransactionQualifiers, "Terminal Transaction Qualifiers (TTQ)", 4...4)])

    // MARK: Mastercard

    private static let mastercard: [Entry] =
        entries(
            [.mastercard], interface: .contactless, source: .card,
            rows: [
                (0x9F50, "Offline Accumulator Balance", 6...6), (0x9F51, "DRDOL", 0...250),
                (0x9F54, "DS ODS Card", 0...160),
                (0x9F5B, "DSDOL", 0...250), (0x9F5D, "Application Capabilities Information", 3...3),
                (0x9F5E, "DS ID", 8...11),
                (0x9F5F, "DS Slot Availability", 1...1), (0x9F60, "CVC3 (Track1)", 2...2),
                (0x9F61, "CVC3 (Track2)", 2...2),
                (0x9F62, "PCVC3 (Track1)", 6...6), (0x9F63, "PUNATC (Track1)", 6...6), (0x9F64, "NATC (Track1)", 1...1),
                (0x9F65, "PCVC3 (Track2)", 2...2), (0x9F66, "PUNATC (Track2)", 2...2), (0x9F67, "NATC (Track2)", 1...1),
                (0x9F68, "Mag-stripe CVM List", 10...252), (0x9F69, "UDOL", 0...250),
                (0x9F6B, "Track 2 Data (magnetic stripe mode)", 0...19),
                (0x9F6C, "Mag-stripe Application Version Number (Card)", 2...2),
                (.formFactorIndicator, "Third Party Data", 5...32),
                (0x9F6F, "DS Slot Management Control", 1...1), (0x9F70, "Protected Data Envelope 1", 0...192),
                (0x9F71, "Protected Data Envelope 2", 0...192), (0x9F72, "Protected Data Envelope 3", 0...192),
                (0x9F73, "Protected Data Envelope 4", 0...192), (0x9F74, "Protected Data Envelope 5", 0...192),
                (0x9F75, "Unprotected Data Envelope 1", 0...192), (0x9F76, "Unprotected Data Envelope 2", 0...192),
                (0x9F77, "Unprotected Data Envelope 3", 0...192), (0x9F78, "Unprotected Data Envelope 4", 0...192),
                (0x9F79, "Unprotected Data Envelope 5", 0...192), (0x9F7D, "DS Summary 1", 8...16),
                (0x9F7E, "Mobile Support Indicator", 1...1), (0x9F7F, "DS Unpredictable Number", 4...4),
            ])
        + entries(
            [.mastercard], interface: .contactless, source: .terminal,
            rows: [
                (0x9F53, "Transaction Category Code", 1...1), (0x9F5C, "DS Requested Operator ID", 8...8),
                (0x9F6A, "Unpredictable Number (Numeric)", 4...4),
                (0x9F6D, "Mag-stripe Application Version Number (Reader)", 2...2),
                (0x9F7C, "Merchant Custom Data", 20...20), (0xDF60, "DS Input (Card)", 8...8),
                (0xDF61, "DS Digest H", 8...8),
                (0xDF62, "DS ODS Info", 1...1), (0xDF63, "DS ODS Term", 0...160), (0xDF8101, "DS Summary 2", 8...16),
                (0xDF8102, "DS Summary 3", 8...16), (0xDF8108, "DS AC Type", 1...1),
                (0xDF8109, "DS Input (Term)", 8...8),
                (0xDF810A, "DS ODS Info For Reader", 1...1), (0xDF810B, "DS Summary Status", 1...1),
                (0xDF810D, "DSVN Term", 0...252),
                (0xDF810E, "Post-Gen AC Put Data Status", 1...1), (0xDF810F, "Pre-Gen AC Put Data Status", 1...1),
                (0xDF8115, "Error Indication", 6...6), (0xDF8128, "IDS Status", 1...1),
            ])
        + entries(
            [.mastercard], interface: .contact, source: .card,
            rows: [(0x9F50, "Offline Accumulator Balance", 6...6), (0x9F7E, "Application Life Cycle Data", 48...48)])
        + entries(
            [.mastercard], interface: .contact, source: .terminal,
            rows: [(.issuerScriptResults, "Issuer Script Results", 0...255)])

    // MARK: American Express, JCB, Discover

    private static let americanExpress: [Entry] =
        entries(
            [.americanExpress], interface: .contactless, source: .card,
            rows: [
                (0x9F5A, "Membership Product Identifier", 8...8), (0x9F5B, "Product Membership Number", 1...32),
                (0x9F70, "Card Interface and Payment Capabilities", 2...2), (0x9F71, "Mobile CVM Results", 3...3),
            ])
        + entries(
            [.americanExpress], interface: .contactless, source: .terminal,
            rows: [
                (0x9F6D, "Contactless Reader Capabilities", 1...1),
                (.formFactorIndicator, "Enhanced Contactless Reader Capabilities", 4...4),
            ])
        + entries(
            [.americanExpress], interface: .contact, source: .terminal,
            rows: [(.issuerScriptResults, "Issuer Script Results", 0...255)])

    private static let jcb: [Entry] =
        entries(
            [.jcb], interface: .contactless, source: .card,
            rows: [
                (0x9F50, "Cardholder Verification Status", 1...1), (0x9F5F, "Offline Balance", 6...6),
                (0x9F7C, "Partner Discretionary Data", 0...32),
            ])
        + entries(
            [.jcb], interface: .contactless, source: .terminal,
            rows: [
                (0x9F52, "Terminal Compatibility Indicator (TCI)", 1...1),
                (0x9F53, "Terminal Interchange Profile (TIP)", 3...3),
                (0x9F60, "Issuer Update Parameter", 1...1),
            ])

    private static let discover: [Entry] =
        entries(
            [.discover, .diners], interface: .contactless, source: .card,
            rows: [(0x9F71, "Card Processing Requirements (CPR)", 2...2)])
        + entries(
            [.discover, .diners], interface: .contactless, source: .terminal,
            rows: [(.terminalTransactionQualifiers, "Terminal Transaction Qualifiers (TTQ)", 4...4)])

    // MARK: UnionPay, with PBOC's electronic cash

    private static let unionPay: [Entry] =
        entries(
            [.unionPay], interface: nil, source: .card,
            rows: [
                (0x9F51, "Application Currency Code (PBOC)", 2...2),
                (0x9F52, "Application Default Action (ADA)", 2...4),
                (0x9F53, "Consecutive Transaction Limit (International)", 1...1),
                (0x9F54, "Cumulative Total Transaction Amount Limit", 6...6), (0x9F55, "Geographic Indicator", 1...1),
                (0x9F56, "Issuer Authentication Indicator", 1...1), (0x9F57, "Issuer Country Code (PBOC)", 2...2),
                (0x9F58, "Lower Consecutive Offline Limit (PBOC)", 1...1),
                (0x9F59, "Upper Consecutive Offline Limit (PBOC)", 1...1),
                (0x9F5C, "Cumulative Total Transaction Amount Upper Limit", 6...6),
                (0x9F5D, "Available Offline Spending Amount", 6...6),
                (0x9F61, "Cardholder's Identification Number", 0...40),
                (0x9F62, "Cardholder's Identification Type", 1...1), (0x9F63, "Card Product Identification", 16...16),
                (0x9F68, "Card Additional Processes", 4...4),
                (.cardAuthenticationRelatedData, "Card Authentication Related Data", 5...16),
                (0x9F6B, "Card CVM Limit", 6...6),
                (.cardTransactionQualifiers, "Card Transaction Qualifiers (CTQ)", 2...2),
                (0x9F6D, "Electronic Cash Reset Threshold", 6...6),
                (0x9F74, "Electronic Cash Issuer Authorisation Code", 6...6),
                (0x9F77, "Electronic Cash Balance Limit", 6...6),
                (0x9F78, "Electronic Cash Single Transaction Limit", 6...6),
                (0x9F79, "Electronic Cash Balance", 6...6), (0x9F7C, "Customer Exclusive Data", 0...32),
                (0xDF61, "CAPP Application Identifier", 1...1), (0xDF62, "CAPP Offset Limit", 6...6),
                (0xDF63, "CAPP Offset Amount", 6...6),
            ])
        + entries(
            [.unionPay], interface: nil, source: .terminal,
            rows: [
                (.terminalTransactionQualifiers, "Terminal Transaction Qualifiers (TTQ)", 4...4),
                (0x9F7A, "Electronic Cash Terminal Support Indicator", 1...1),
                (0x9F7B, "Electronic Cash Terminal Transaction Limit", 6...6),
                (0xDF60, "CAPP Transaction Indicator", 1...1),
            ])
}
