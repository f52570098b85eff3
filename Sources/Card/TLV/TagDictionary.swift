/// What a tag means: its name, the coding and length of its value, and its source (EMV 4.4 Book 3,
/// annex A1).
public struct TagDefinition: Sendable {
    public enum Format: String, Sendable {
        /// `n`: decimal digits two a byte, right justified, leading zeros.
        case numeric = "n"
        /// `cn`: decimal digits two a byte, left justified, trailing `F`.
        case compressedNumeric = "cn"
        /// `a`: letters.
        case alphabetic = "a"
        /// `an`: letters and digits.
        case alphanumeric = "an"
        /// `ans`: characters of ISO/IEC 8859.
        case alphanumericSpecial = "ans"
        /// `b`: bytes or bits.
        case binary = "b"
        /// `var.`: other data objects, or a coding of its own.
        case variable = "var."
    }

    public enum Source: String, Sendable {
        case card = "card"
        case terminal = "terminal"
        case issuer = "issuer"
    }

    public let tag: Tag
    public let name: String
    public let format: Format
    /// The allowed number of bytes of a value.
    public let length: ClosedRange<Int>
    public let source: Source
    /// The contactless kernels that define the tag (EMV Contactless Book B, 3.3.2.5); empty for a
    /// tag of EMV, or of a system's contact application.
    public let kernels: [Int]
}

/// The data objects of EMV 4.4 Book 3, annex A1, and those of contactless kernels that also occur
/// in contact records.
public enum TagDictionary {
    /// The definition of `tag`; nil if it is not in the dictionary.
    public static subscript(tag: Tag) -> TagDefinition? { byTag[tag] }

    /// The definition of `tag` for the application of `context`: that of its payment system, if
    /// there is one. Nil for a tag that EMV leaves to the systems and that this system does not
    /// use.
    ///
    /// - Parameter count: The length of a value, which distinguishes definitions if a tag has more
    ///   than one.
    public static func definition(_ tag: Tag, _ context: ValueContext, count: Int? = nil) -> TagDefinition? {
        guard let system = context.system else { return byTag[tag] ?? SchemeTags.definition(tag, kernel: 8) }
        let own = SchemeTags.definitions(tag, system, context.interface)
        let isSystems =
            SchemeTags.isLeftToSystems(tag) && SchemeTags.systems.contains(system) && tag != Self.productionLifeCycle
        let all = own + (isSystems ? [] : [byTag[tag]].compactMap { $0 })
        return all.first { definition in count.map { definition.length.contains($0) } ?? true } ?? all.first
    }

    /// All definitions that a value of `tag` may have there: for an unknown application, EMV's and
    /// those of the systems.
    static func definitions(_ tag: Tag, _ context: ValueContext) -> [TagDefinition] {
        guard let system = context.system else { return [byTag[tag]].compactMap { $0 } + SchemeTags.definitions(tag) }
        let own = SchemeTags.definitions(tag, system, context.interface)
        return own.isEmpty ? [definition(tag, context)].compactMap { $0 } : own + [byTag[tag]].compactMap { $0 }
    }

    /// The definition of `tag` for a contactless kernel: the kernel's own, or EMV's. Nil for a tag
    /// that EMV leaves to payment systems and that this kernel does not use.
    ///
    /// - Parameter kernel: The number of an international kernel, 2 to 8 (EMV Contactless Book B,
    ///   3.3.2.5).
    public static func definition(_ tag: Tag, kernel: Int) -> TagDefinition? {
        if let own = SchemeTags.definition(tag, kernel: kernel) { return own }
        return SchemeTags.isLeftToSystems(tag) ? nil : byTag[tag]
    }

    /// The name of `tag` for that application, or "unknown tag". For an unknown application, the
    /// names that the payment systems have for it.
    public static func name(_ tag: Tag, _ context: ValueContext, count: Int? = nil) -> String {
        if let definition = definition(tag, context, count: count) { return definition.name }
        let names = context.system == nil ? SchemeTags.names(tag, count: count) : []
        return names.isEmpty ? "unknown tag" : names.joined(separator: ", ")
    }

    private static let productionLifeCycle: Tag = 0x9F7F

    /// Every definition, in the order of the tags.
    public static let all: [TagDefinition] = definitions.sorted { $0.tag.rawValue < $1.tag.rawValue }

    private static let byTag = Dictionary(uniqueKeysWithValues: definitions.map { ($0.tag, $0) })

    private static func define(
        _ tag: Tag, name: String, format: TagDefinition.Format, length: ClosedRange<Int>, source: TagDefinition.Source
    ) -> TagDefinition {
        TagDefinition(tag: tag, name: name, format: format, length: length, source: source, kernels: [])
    }

    private static let definitions: [TagDefinition] = [
        // Templates
        define(.applicationTemplate, name: "Application Template", format: .variable, length: 0...252, source: .card),
        define(
            .fciTemplate, name: "File Control Information (FCI) Template", format: .variable, length: 0...252,
            source: .card),
        define(
            .recordTemplate, name: "READ RECORD Response Message Template", format: .variable, length: 0...252,
            source: .card),
        define(
            .issuerScriptTemplate1, name: "Issuer Script Template 1", format: .variable, length: 0...65535,
            source: .issuer),
        define(
            .issuerScriptTemplate2, name: "Issuer Script Template 2", format: .variable, length: 0...65535,
            source: .issuer),
        define(
            .directoryDiscretionaryTemplate, name: "Directory Discretionary Template", format: .variable,
            length: 0...252, source: .card),
        define(
            .responseTemplate2, name: "Response Message Template Format 2", format: .variable, length: 0...255,
            source: .card),
        define(
            .responseTemplate1, name: "Response Message Template Format 1", format: .variable, length: 0...255,
            source: .card),
        define(.commandTemplate, name: "Command Template", format: .binary, length: 0...255, source: .terminal),
        define(
            .fciProprietaryTemplate, name: "FCI Proprietary Template", format: .variable, length: 0...252, source: .card
        ),
        define(
            .fciIssuerDiscretionaryData, name: "FCI Issuer Discretionary Data", format: .variable, length: 0...222,
            source: .card),
        define(
            .biometricInformationTemplate, name: "Biometric Information Template (BIT)", format: .variable,
            length: 0...255, source: .card),

        // Selection
        define(.adfName, name: "Application Dedicated File (ADF) Name", format: .binary, length: 5...16, source: .card),
        define(
            .applicationLabel, name: "Application Label", format: .alphanumericSpecial, length: 1...16, source: .card),
        define(.dfName, name: "Dedicated File (DF) Name", format: .binary, length: 5...16, source: .card),
        define(
            .applicationPriorityIndicator, name: "Application Priority Indicator", format: .binary, length: 1...1,
            source: .card),
        define(
            .shortFileIdentifier, name: "Short File Identifier (SFI)", format: .binary, length: 1...1, source: .card),
        define(.ddfName, name: "Directory Definition File (DDF) Name", format: .binary, length: 5...16, source: .card),
        define(.languagePreference, name: "Language Preference", format: .alphanumeric, length: 2...8, source: .card),
        define(.issuerCodeTableIndex, name: "Issuer Code Table Index", format: .numeric, length: 1...1, source: .card),
        define(
            .applicationPreferredName, name: "Application Preferred Name", format: .alphanumericSpecial, length: 1...16,
            source: .card),
        define(
            .pdol, name: "Processing Options Data Object List (PDOL)", format: .variable, length: 0...252, source: .card
        ),
        define(.logEntry, name: "Log Entry", format: .binary, length: 2...2, source: .card),
        define(.logFormat, name: "Log Format", format: .binary, length: 0...252, source: .card),
        define(
            .applicationSelectionRegisteredProprietaryData,
            name: "Application Selection Registered Proprietary Data (ASRPD)",
            format: .binary, length: 0...252,
            source: .card),
        define(0x42, name: "Issuer Identification Number (IIN)", format: .numeric, length: 3...3, source: .card),
        define(
            0x9F0C, name: "Issuer Identification Number Extended (IINE)", format: .numeric, length: 3...4, source: .card
        ),
        define(.command, name: "Command to ICC", format: .binary, length: 4...261, source: .issuer),

        // The application and its holder
        define(
            .applicationPAN, name: "Application Primary Account Number (PAN)", format: .compressedNumeric,
            length: 0...10, source: .card),
        define(
            .panSequenceNumber, name: "Application PAN Sequence Number (PSN)", format: .numeric, length: 1...1,
            source: .card),
        define(.track2EquivalentData, name: "Track 2 Equivalent Data", format: .binary, length: 0...19, source: .card),
        define(0x56, name: "Track 1 Data", format: .alphanumericSpecial, length: 0...76, source: .card),
        define(.cardholderName, name: "Cardholder Name", format: .alphanumericSpecial, length: 2...26, source: .card),
        define(
            .cardholderNameExtended, name: "Cardholder Name Extended", format: .alphanumericSpecial, length: 27...45,
            source: .card),
        define(
            .track1DiscretionaryData, name: "Track 1 Discretionary Data", format: .alphanumericSpecial, length: 0...255,
            source: .card),
        define(
            .track2DiscretionaryData, name: "Track 2 Discretionary Data", format: .compressedNumeric, length: 0...255,
            source: .card),
        define(
            .applicationExpirationDate, name: "Application Expiration Date", format: .numeric, length: 3...3,
            source: .card),
        define(
            .applicationEffectiveDate, name: "Application Effective Date", format: .numeric, length: 3...3,
            source: .card),
        define(.issuerCountryCode, name: "Issuer Country Code", format: .numeric, length: 2...2, source: .card),
        define(
            .issuerCountryCodeAlpha2, name: "Issuer Country Code (alpha-2)", format: .alphabetic, length: 2...2,
            source: .card),
        define(
            .issuerCountryCodeAlpha3, name: "Issuer Country Code (alpha-3)", format: .alphabetic, length: 3...3,
            source: .card),
        define(.serviceCode, name: "Service Code", format: .numeric, length: 2...2, source: .card),
        define(.issuerURL, name: "Issuer URL", format: .alphanumericSpecial, length: 0...255, source: .card),
        define(
            0x5F53, name: "International Bank Account Number (IBAN)", format: .variable, length: 0...34, source: .card),
        define(0x5F54, name: "Bank Identifier Code (BIC)", format: .variable, length: 8...11, source: .card),
        define(
            .transactionCurrencyExponent, name: "Transaction Currency Exponent", format: .numeric, length: 1...1,
            source: .terminal),
        define(
            .applicationUsageControl, name: "Application Usage Control (AUC)", format: .binary, length: 2...2,
            source: .card),
        define(
            .applicationVersionNumberCard, name: "Application Version Number (card)", format: .binary, length: 2...2,
            source: .card),
        define(
            .applicationCurrencyCode, name: "Application Currency Code", format: .numeric, length: 2...2, source: .card),
        define(
            .applicationCurrencyExponent, name: "Application Currency Exponent", format: .numeric, length: 1...1,
            source: .card),
        define(
            .applicationReferenceCurrency, name: "Application Reference Currency", format: .numeric, length: 2...8,
            source: .card),
        define(0x9F43, name: "Application Reference Currency Exponent", format: .numeric, length: 1...4, source: .card),
        define(
            .applicationDiscretionaryData, name: "Application Discretionary Data", format: .binary, length: 1...32,
            source: .card),
        define(
            .paymentAccountReference, name: "Payment Account Reference (PAR)", format: .alphanumeric, length: 29...29,
            source: .card),
        define(.tokenRequestorID, name: "Token Requestor ID", format: .numeric, length: 6...6, source: .card),
        define(.last4DigitsOfPAN, name: "Last 4 Digits of PAN", format: .numeric, length: 2...2, source: .card),
        define(
            .formFactorIndicator, name: "Form Factor Indicator (Visa), Third Party Data (Mastercard)", format: .binary,
            length: 4...32,
            source: .card),

        // Processing options, data authentication
        define(
            .applicationInterchangeProfile, name: "Application Interchange Profile (AIP)", format: .binary,
            length: 2...2, source: .card),
        define(
            .applicationFileLocator, name: "Application File Locator (AFL)", format: .variable, length: 0...252,
            source: .card),
        define(
            .caPublicKeyIndexCard, name: "Certification Authority Public Key Index (card)", format: .binary,
            length: 1...1, source: .card),
        define(
            .issuerPublicKeyCertificate, name: "Issuer Public Key Certificate", format: .binary, length: 0...248,
            source: .card),
        define(
            .issuerPublicKeyRemainder, name: "Issuer Public Key Remainder", format: .binary, length: 0...248,
            source: .card),
        define(
            .issuerPublicKeyExponent, name: "Issuer Public Key Exponent", format: .binary, length: 1...3, source: .card),
        define(
            .signedStaticApplicationData, name: "Signed Static Application Data (SSAD)", format: .binary,
            length: 0...248, source: .card),
        define(
            .staticDataAuthenticationTagList, name: "Static Data Authentication Tag List", format: .variable,
            length: 0...255, source: .card
        ),
        define(
            .dataAuthenticationCode, name: "Data Authentication Code", format: .binary, length: 2...2, source: .card),
        define(
            .iccPublicKeyCertificate, name: "ICC Public Key Certificate", format: .binary, length: 0...248,
            source: .card),
        define(.iccPublicKeyExponent, name: "ICC Public Key Exponent", format: .binary, length: 1...3, source: .card),
        define(
            .iccPublicKeyRemainder, name: "ICC Public Key Remainder", format: .binary, length: 0...248, source: .card),
        define(
            .iccPINEnciphermentPublicKeyCertificate, name: "ICC PIN Encipherment Public Key Certificate",
            format: .binary, length: 0...248,
            source: .card),
        define(
            .iccPINEnciphermentPublicKeyExponent, name: "ICC PIN Encipherment Public Key Exponent", format: .binary,
            length: 1...3,
            source: .card),
        define(
            .iccPINEnciphermentPublicKeyRemainder, name: "ICC PIN Encipherment Public Key Remainder", format: .binary,
            length: 0...248,
            source: .card),
        define(
            .ddol, name: "Dynamic Data Authentication Data Object List (DDOL)", format: .binary, length: 0...252,
            source: .card),
        define(
            .signedDynamicApplicationData, name: "Signed Dynamic Application Data (SDAD)", format: .binary,
            length: 0...248, source: .card),
        define(.iccDynamicNumber, name: "ICC Dynamic Number", format: .binary, length: 2...8, source: .card),

        // Cardholder verification
        define(
            .cvmList, name: "Cardholder Verification Method (CVM) List", format: .binary, length: 8...252, source: .card
        ),
        define(
            .cvmResults, name: "Cardholder Verification Method (CVM) Results", format: .binary, length: 3...3,
            source: .terminal),
        define(
            .pinTryCounter, name: "Personal Identification Number (PIN) Try Counter", format: .binary, length: 1...1,
            source: .card),
        define(.transactionPINData, name: "Transaction PIN Data", format: .binary, length: 0...255, source: .terminal),

        // Risk management and cryptograms
        define(
            .issuerActionCodeDefault, name: "Issuer Action Code - Default", format: .binary, length: 5...5,
            source: .card),
        define(
            .issuerActionCodeDenial, name: "Issuer Action Code - Denial", format: .binary, length: 5...5, source: .card),
        define(
            .issuerActionCodeOnline, name: "Issuer Action Code - Online", format: .binary, length: 5...5, source: .card),
        define(
            .lastOnlineATCRegister, name: "Last Online Application Transaction Counter (ATC) Register", format: .binary,
            length: 2...2,
            source: .card),
        define(
            .lowerConsecutiveOfflineLimit, name: "Lower Consecutive Offline Limit", format: .binary, length: 1...1,
            source: .card),
        define(
            .upperConsecutiveOfflineLimit, name: "Upper Consecutive Offline Limit", format: .binary, length: 1...1,
            source: .card),
        define(
            .applicationTransactionCounter, name: "Application Transaction Counter (ATC)", format: .binary,
            length: 2...2, source: .card),
        define(
            .cdol1, name: "Card Risk Management Data Object List 1 (CDOL1)", format: .binary, length: 0...252,
            source: .card),
        define(
            .cdol2, name: "Card Risk Management Data Object List 2 (CDOL2)", format: .binary, length: 0...252,
            source: .card),
        define(
            .tdol, name: "Transaction Certificate Data Object List (TDOL)", format: .binary, length: 0...252,
            source: .card),
        define(
            .tcHashValue, name: "Transaction Certificate (TC) Hash Value", format: .binary, length: 20...20,
            source: .terminal),
        define(
            .cryptogramInformationData, name: "Cryptogram Information Data (CID)", format: .binary, length: 1...1,
            source: .card),
        define(
            .applicationCryptogram, name: "Application Cryptogram (AC)", format: .binary, length: 8...8, source: .card),
        define(
            .issuerApplicationData, name: "Issuer Application Data (IAD)", format: .binary, length: 0...32,
            source: .card),

        // From the issuer
        define(.authorisationCode, name: "Authorisation Code", format: .alphanumeric, length: 6...6, source: .issuer),
        define(
            .authorisationResponseCode, name: "Authorisation Response Code (ARC)", format: .alphanumeric, length: 2...2,
            source: .issuer),
        define(
            .issuerAuthenticationData, name: "Issuer Authentication Data", format: .binary, length: 8...16,
            source: .issuer),
        define(
            .issuerScriptIdentifier, name: "Issuer Script Identifier", format: .binary, length: 4...4, source: .issuer),
        define(
            .issuerScriptResults, name: "Issuer Script Results", format: .binary, length: 0...255, source: .terminal),

        // From the terminal
        define(.acquirerIdentifier, name: "Acquirer Identifier", format: .numeric, length: 6...6, source: .terminal),
        define(
            .additionalTerminalCapabilities, name: "Additional Terminal Capabilities", format: .binary, length: 5...5,
            source: .terminal),
        define(
            .amountAuthorisedBinary, name: "Amount, Authorised (Binary)", format: .binary, length: 4...4,
            source: .terminal),
        define(
            .amountAuthorised, name: "Amount, Authorised (Numeric)", format: .numeric, length: 6...6, source: .terminal),
        define(.amountOtherBinary, name: "Amount, Other (Binary)", format: .binary, length: 4...4, source: .terminal),
        define(.amountOther, name: "Amount, Other (Numeric)", format: .numeric, length: 6...6, source: .terminal),
        define(
            .amountReferenceCurrency, name: "Amount, Reference Currency (Binary)", format: .binary, length: 4...4,
            source: .terminal),
        define(
            .applicationIdentifierTerminal, name: "Application Identifier (AID) (terminal)", format: .binary,
            length: 5...16,
            source: .terminal),
        define(
            .applicationVersionNumberTerminal, name: "Application Version Number (terminal)", format: .binary,
            length: 2...2,
            source: .terminal),
        define(
            .caPublicKeyIndexTerminal, name: "Certification Authority Public Key Index (terminal)", format: .binary,
            length: 1...1,
            source: .terminal),
        define(
            .interfaceDeviceSerialNumber, name: "Interface Device (IFD) Serial Number", format: .alphanumeric,
            length: 8...8,
            source: .terminal),
        define(
            .merchantCategoryCode, name: "Merchant Category Code", format: .numeric, length: 2...2, source: .terminal),
        define(
            .merchantIdentifier, name: "Merchant Identifier", format: .alphanumericSpecial, length: 15...15,
            source: .terminal),
        define(
            .merchantNameAndLocation, name: "Merchant Name and Location", format: .alphanumericSpecial, length: 0...255,
            source: .terminal),
        define(
            .pointOfServiceEntryMode, name: "Point-of-Service (POS) Entry Mode", format: .numeric, length: 1...1,
            source: .terminal),
        define(.terminalCapabilities, name: "Terminal Capabilities", format: .binary, length: 3...3, source: .terminal),
        define(.terminalCountryCode, name: "Terminal Country Code", format: .numeric, length: 2...2, source: .terminal),
        define(.terminalFloorLimit, name: "Terminal Floor Limit", format: .binary, length: 4...4, source: .terminal),
        define(
            .terminalIdentification, name: "Terminal Identification", format: .alphanumeric, length: 8...8,
            source: .terminal),
        define(
            .terminalRiskManagementData, name: "Terminal Risk Management Data", format: .binary, length: 1...8,
            source: .terminal),
        define(.terminalType, name: "Terminal Type", format: .numeric, length: 1...1, source: .terminal),
        define(
            .terminalVerificationResults, name: "Terminal Verification Results (TVR)", format: .binary, length: 5...5,
            source: .terminal),
        define(
            .transactionCurrencyCode, name: "Transaction Currency Code", format: .numeric, length: 2...2,
            source: .terminal),
        define(0x9F3C, name: "Transaction Reference Currency Code", format: .numeric, length: 2...2, source: .terminal),
        define(
            0x9F3D, name: "Transaction Reference Currency Exponent", format: .numeric, length: 1...1, source: .terminal),
        define(.transactionDate, name: "Transaction Date", format: .numeric, length: 3...3, source: .terminal),
        define(.transactionTime, name: "Transaction Time", format: .numeric, length: 3...3, source: .terminal),
        define(
            .transactionSequenceCounter, name: "Transaction Sequence Counter", format: .numeric, length: 2...4,
            source: .terminal),
        define(
            .transactionStatusInformation, name: "Transaction Status Information (TSI)", format: .binary, length: 2...2,
            source: .terminal),
        define(.transactionType, name: "Transaction Type", format: .numeric, length: 1...1, source: .terminal),
        define(.accountType, name: "Account Type", format: .numeric, length: 1...1, source: .terminal),
        define(
            .unpredictableNumber, name: "Unpredictable Number (UN)", format: .binary, length: 4...4, source: .terminal),

        // Biometric verification (EMV 4.4 Book 3, annex A1): the contents have the names of their
        // template
        define(0xBF4C, name: "Biometric Try Counters Template", format: .variable, length: 0...255, source: .card),
        define(0xBF4D, name: "Preferred Attempts Template", format: .variable, length: 0...255, source: .card),

        // Entry point (EMV Contactless Book B 2.11)
        define(
            .pointOfInteractionInformation, name: "POI Information", format: .binary, length: 0...64, source: .terminal),
        define(
            .kernelIdentifierTerminal, name: "Kernel Identifier - Terminal", format: .binary, length: 8...8,
            source: .terminal),
        define(.extendedSelection, name: "Extended Selection", format: .binary, length: 0...11, source: .card),
        define(.kernelIdentifier, name: "Kernel Identifier", format: .binary, length: 1...8, source: .card),
        define(
            .terminalCategoriesSupported, name: "Terminal Categories Supported List", format: .binary, length: 2...252,
            source: .card),
        define(
            .selectionDataObjectList, name: "Selection Data Object List (SDOL)", format: .variable, length: 0...252,
            source: .card),
        define(
            productionLifeCycle, name: "Card Production Life Cycle Data (CPLC)", format: .binary, length: 42...42,
            source: .card),

        // Contactless, seen in records and logs (EMV Contactless Books C-2 and C-3)
        define(
            .terminalTransactionQualifiers, name: "Terminal Transaction Qualifiers (TTQ)", format: .binary,
            length: 4...4, source: .terminal
        ),
        define(
            .cardTransactionQualifiers, name: "Card Transaction Qualifiers (CTQ)", format: .binary, length: 2...2,
            source: .card),
        define(
            .cardAuthenticationRelatedData, name: "Card Authentication Related Data", format: .binary, length: 5...16,
            source: .card),
        define(
            .track2DataContactless, name: "Track 2 Data (magnetic stripe mode)", format: .binary, length: 0...19,
            source: .card),
    ]
}
