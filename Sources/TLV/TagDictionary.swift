/// What a tag means: its name, the coding and length of its value, and who it comes from (EMV 4.4 Book 3, annex A1).
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
    /// The number of bytes that a value has.
    public let length: ClosedRange<Int>
    public let source: Source
    /// The contactless kernels whose tag it is (EMV Contactless Book B, 3.3.2.5); empty for a tag of EMV's, or of a system's contact application.
    public let kernels: [Int]
}

/// The data objects of EMV 4.4 Book 3, annex A1, and those of contactless kernels that contact records carry too.
public enum TagDictionary {
    /// The definition of `tag`, or nil if the dictionary does not know it.
    public static subscript(tag: Tag) -> TagDefinition? { byTag[tag] }

    /// The definition of `tag` for the application that `context` tells of: its payment system's own where it has one. A tag that EMV leaves to the systems
    /// and that this one does not use has none.
    ///
    /// - Parameter count: The bytes of a value, which tell definitions apart where a tag has more than one.
    public static func definition(_ tag: Tag, _ context: ValueContext, count: Int? = nil) -> TagDefinition? {
        guard let system = context.system else { return byTag[tag] }
        let own = SchemeTags.definitions(tag, system, context.interface)
        let isSystems = SchemeTags.isLeftToSystems(tag) && SchemeTags.systems.contains(system) && tag != Self.productionLifeCycle
        let all = own + (isSystems ? [] : [byTag[tag]].compactMap { $0 })
        return all.first { definition in count.map { definition.length.contains($0) } ?? true } ?? all.first
    }

    /// The definition of `tag` as a contactless kernel has it: the kernel's own, or EMV's. Nil for a tag that EMV leaves to payment systems
    /// and that this kernel does not use.
    ///
    /// - Parameter kernel: The number of an international kernel, 2 to 7 (EMV Contactless Book B, 3.3.2.5).
    public static func definition(_ tag: Tag, kernel: Int) -> TagDefinition? {
        if let own = SchemeTags.definition(tag, kernel: kernel) { return own }
        return SchemeTags.isLeftToSystems(tag) ? nil : byTag[tag]
    }

    /// The name of `tag` for that application, or "unknown tag".
    public static func name(_ tag: Tag, _ context: ValueContext, count: Int? = nil) -> String {
        definition(tag, context, count: count)?.name ?? "unknown tag"
    }

    private static let productionLifeCycle: Tag = 0x9F7F

    /// Every definition, in the order of the tags.
    public static let all: [TagDefinition] = definitions.sorted { $0.tag.rawValue < $1.tag.rawValue }

    private static let byTag = Dictionary(uniqueKeysWithValues: definitions.map { ($0.tag, $0) })

    private static func define(
        _ tag: Tag, _ name: String, _ format: TagDefinition.Format, _ length: ClosedRange<Int>, _ source: TagDefinition.Source
    ) -> TagDefinition {
        TagDefinition(tag: tag, name: name, format: format, length: length, source: source, kernels: [])
    }

    private static let definitions: [TagDefinition] = [
        // Templates
        define(.applicationTemplate, "Application Template", .variable, 0...252, .card),
        define(.fciTemplate, "File Control Information (FCI) Template", .variable, 0...252, .card),
        define(.recordTemplate, "READ RECORD Response Message Template", .variable, 0...252, .card),
        define(.issuerScriptTemplate1, "Issuer Script Template 1", .variable, 0...65535, .issuer),
        define(.issuerScriptTemplate2, "Issuer Script Template 2", .variable, 0...65535, .issuer),
        define(.directoryDiscretionaryTemplate, "Directory Discretionary Template", .variable, 0...252, .card),
        define(.responseTemplate2, "Response Message Template Format 2", .variable, 0...255, .card),
        define(.responseTemplate1, "Response Message Template Format 1", .variable, 0...255, .card),
        define(.commandTemplate, "Command Template", .binary, 0...255, .terminal),
        define(.fciProprietaryTemplate, "FCI Proprietary Template", .variable, 0...252, .card),
        define(.fciIssuerDiscretionaryData, "FCI Issuer Discretionary Data", .variable, 0...222, .card),
        define(.biometricInformationTemplate, "Biometric Information Template (BIT)", .variable, 0...255, .card),

        // Selection
        define(.adfName, "Application Dedicated File (ADF) Name", .binary, 5...16, .card),
        define(.applicationLabel, "Application Label", .alphanumericSpecial, 1...16, .card),
        define(.dfName, "Dedicated File (DF) Name", .binary, 5...16, .card),
        define(.applicationPriorityIndicator, "Application Priority Indicator", .binary, 1...1, .card),
        define(.shortFileIdentifier, "Short File Identifier (SFI)", .binary, 1...1, .card),
        define(.ddfName, "Directory Definition File (DDF) Name", .binary, 5...16, .card),
        define(.languagePreference, "Language Preference", .alphanumeric, 2...8, .card),
        define(.issuerCodeTableIndex, "Issuer Code Table Index", .numeric, 1...1, .card),
        define(.applicationPreferredName, "Application Preferred Name", .alphanumericSpecial, 1...16, .card),
        define(.pdol, "Processing Options Data Object List (PDOL)", .variable, 0...252, .card),
        define(.logEntry, "Log Entry", .binary, 2...2, .card),
        define(.logFormat, "Log Format", .binary, 0...252, .card),
        define(
            .applicationSelectionRegisteredProprietaryData, "Application Selection Registered Proprietary Data (ASRPD)", .binary, 0...252,
            .card),
        define(0x42, "Issuer Identification Number (IIN)", .numeric, 3...3, .card),
        define(0x9F0C, "Issuer Identification Number Extended (IINE)", .numeric, 3...4, .card),
        define(.command, "Command to ICC", .binary, 4...261, .issuer),

        // The application and its holder
        define(.applicationPAN, "Application Primary Account Number (PAN)", .compressedNumeric, 0...10, .card),
        define(.panSequenceNumber, "Application PAN Sequence Number (PSN)", .numeric, 1...1, .card),
        define(.track2EquivalentData, "Track 2 Equivalent Data", .binary, 0...19, .card),
        define(0x56, "Track 1 Data", .alphanumericSpecial, 0...76, .card),
        define(.cardholderName, "Cardholder Name", .alphanumericSpecial, 2...26, .card),
        define(.cardholderNameExtended, "Cardholder Name Extended", .alphanumericSpecial, 27...45, .card),
        define(.track1DiscretionaryData, "Track 1 Discretionary Data", .alphanumericSpecial, 0...255, .card),
        define(.track2DiscretionaryData, "Track 2 Discretionary Data", .compressedNumeric, 0...255, .card),
        define(.applicationExpirationDate, "Application Expiration Date", .numeric, 3...3, .card),
        define(.applicationEffectiveDate, "Application Effective Date", .numeric, 3...3, .card),
        define(.issuerCountryCode, "Issuer Country Code", .numeric, 2...2, .card),
        define(.issuerCountryCodeAlpha2, "Issuer Country Code (alpha-2)", .alphabetic, 2...2, .card),
        define(.issuerCountryCodeAlpha3, "Issuer Country Code (alpha-3)", .alphabetic, 3...3, .card),
        define(.serviceCode, "Service Code", .numeric, 2...2, .card),
        define(.issuerURL, "Issuer URL", .alphanumericSpecial, 0...255, .card),
        define(0x5F53, "International Bank Account Number (IBAN)", .variable, 0...34, .card),
        define(0x5F54, "Bank Identifier Code (BIC)", .variable, 8...11, .card),
        define(.transactionCurrencyExponent, "Transaction Currency Exponent", .numeric, 1...1, .terminal),
        define(.applicationUsageControl, "Application Usage Control (AUC)", .binary, 2...2, .card),
        define(.applicationVersionNumberCard, "Application Version Number (card)", .binary, 2...2, .card),
        define(.applicationCurrencyCode, "Application Currency Code", .numeric, 2...2, .card),
        define(.applicationCurrencyExponent, "Application Currency Exponent", .numeric, 1...1, .card),
        define(.applicationReferenceCurrency, "Application Reference Currency", .numeric, 2...8, .card),
        define(0x9F43, "Application Reference Currency Exponent", .numeric, 1...4, .card),
        define(.applicationDiscretionaryData, "Application Discretionary Data", .binary, 1...32, .card),
        define(.paymentAccountReference, "Payment Account Reference (PAR)", .alphanumeric, 29...29, .card),
        define(.tokenRequestorID, "Token Requestor ID", .numeric, 6...6, .card),
        define(.last4DigitsOfPAN, "Last 4 Digits of PAN", .numeric, 2...2, .card),
        define(.formFactorIndicator, "Form Factor Indicator (Visa), Third Party Data (Mastercard)", .binary, 4...32, .card),

        // Processing options, data authentication
        define(.applicationInterchangeProfile, "Application Interchange Profile (AIP)", .binary, 2...2, .card),
        define(.applicationFileLocator, "Application File Locator (AFL)", .variable, 0...252, .card),
        define(.caPublicKeyIndexCard, "Certification Authority Public Key Index (card)", .binary, 1...1, .card),
        define(.issuerPublicKeyCertificate, "Issuer Public Key Certificate", .binary, 0...248, .card),
        define(.issuerPublicKeyRemainder, "Issuer Public Key Remainder", .binary, 0...248, .card),
        define(.issuerPublicKeyExponent, "Issuer Public Key Exponent", .binary, 1...3, .card),
        define(.signedStaticApplicationData, "Signed Static Application Data (SSAD)", .binary, 0...248, .card),
        define(.staticDataAuthenticationTagList, "Static Data Authentication Tag List", .variable, 0...255, .card),
        define(.dataAuthenticationCode, "Data Authentication Code", .binary, 2...2, .card),
        define(.iccPublicKeyCertificate, "ICC Public Key Certificate", .binary, 0...248, .card),
        define(.iccPublicKeyExponent, "ICC Public Key Exponent", .binary, 1...3, .card),
        define(.iccPublicKeyRemainder, "ICC Public Key Remainder", .binary, 0...248, .card),
        define(.iccPINEnciphermentPublicKeyCertificate, "ICC PIN Encipherment Public Key Certificate", .binary, 0...248, .card),
        define(.iccPINEnciphermentPublicKeyExponent, "ICC PIN Encipherment Public Key Exponent", .binary, 1...3, .card),
        define(.iccPINEnciphermentPublicKeyRemainder, "ICC PIN Encipherment Public Key Remainder", .binary, 0...248, .card),
        define(.ddol, "Dynamic Data Authentication Data Object List (DDOL)", .binary, 0...252, .card),
        define(.signedDynamicApplicationData, "Signed Dynamic Application Data (SDAD)", .binary, 0...248, .card),
        define(.iccDynamicNumber, "ICC Dynamic Number", .binary, 2...8, .card),

        // Cardholder verification
        define(.cvmList, "Cardholder Verification Method (CVM) List", .binary, 8...252, .card),
        define(.cvmResults, "Cardholder Verification Method (CVM) Results", .binary, 3...3, .terminal),
        define(.pinTryCounter, "Personal Identification Number (PIN) Try Counter", .binary, 1...1, .card),
        define(.transactionPINData, "Transaction PIN Data", .binary, 0...255, .terminal),

        // Risk management and cryptograms
        define(.issuerActionCodeDefault, "Issuer Action Code - Default", .binary, 5...5, .card),
        define(.issuerActionCodeDenial, "Issuer Action Code - Denial", .binary, 5...5, .card),
        define(.issuerActionCodeOnline, "Issuer Action Code - Online", .binary, 5...5, .card),
        define(.lastOnlineATCRegister, "Last Online Application Transaction Counter (ATC) Register", .binary, 2...2, .card),
        define(.lowerConsecutiveOfflineLimit, "Lower Consecutive Offline Limit", .binary, 1...1, .card),
        define(.upperConsecutiveOfflineLimit, "Upper Consecutive Offline Limit", .binary, 1...1, .card),
        define(.applicationTransactionCounter, "Application Transaction Counter (ATC)", .binary, 2...2, .card),
        define(.cdol1, "Card Risk Management Data Object List 1 (CDOL1)", .binary, 0...252, .card),
        define(.cdol2, "Card Risk Management Data Object List 2 (CDOL2)", .binary, 0...252, .card),
        define(.tdol, "Transaction Certificate Data Object List (TDOL)", .binary, 0...252, .card),
        define(.tcHashValue, "Transaction Certificate (TC) Hash Value", .binary, 20...20, .terminal),
        define(.cryptogramInformationData, "Cryptogram Information Data (CID)", .binary, 1...1, .card),
        define(.applicationCryptogram, "Application Cryptogram (AC)", .binary, 8...8, .card),
        define(.issuerApplicationData, "Issuer Application Data (IAD)", .binary, 0...32, .card),

        // From the issuer
        define(.authorisationCode, "Authorisation Code", .alphanumeric, 6...6, .issuer),
        define(.authorisationResponseCode, "Authorisation Response Code (ARC)", .alphanumeric, 2...2, .issuer),
        define(.issuerAuthenticationData, "Issuer Authentication Data", .binary, 8...16, .issuer),
        define(.issuerScriptIdentifier, "Issuer Script Identifier", .binary, 4...4, .issuer),
        define(.issuerScriptResults, "Issuer Script Results", .binary, 0...255, .terminal),

        // From the terminal
        define(.acquirerIdentifier, "Acquirer Identifier", .numeric, 6...6, .terminal),
        define(.additionalTerminalCapabilities, "Additional Terminal Capabilities", .binary, 5...5, .terminal),
        define(.amountAuthorisedBinary, "Amount, Authorised (Binary)", .binary, 4...4, .terminal),
        define(.amountAuthorised, "Amount, Authorised (Numeric)", .numeric, 6...6, .terminal),
        define(.amountOtherBinary, "Amount, Other (Binary)", .binary, 4...4, .terminal),
        define(.amountOther, "Amount, Other (Numeric)", .numeric, 6...6, .terminal),
        define(.amountReferenceCurrency, "Amount, Reference Currency (Binary)", .binary, 4...4, .terminal),
        define(.applicationIdentifierTerminal, "Application Identifier (AID) (terminal)", .binary, 5...16, .terminal),
        define(.applicationVersionNumberTerminal, "Application Version Number (terminal)", .binary, 2...2, .terminal),
        define(.caPublicKeyIndexTerminal, "Certification Authority Public Key Index (terminal)", .binary, 1...1, .terminal),
        define(.interfaceDeviceSerialNumber, "Interface Device (IFD) Serial Number", .alphanumeric, 8...8, .terminal),
        define(.merchantCategoryCode, "Merchant Category Code", .numeric, 2...2, .terminal),
        define(.merchantIdentifier, "Merchant Identifier", .alphanumericSpecial, 15...15, .terminal),
        define(.merchantNameAndLocation, "Merchant Name and Location", .alphanumericSpecial, 0...255, .terminal),
        define(.pointOfServiceEntryMode, "Point-of-Service (POS) Entry Mode", .numeric, 1...1, .terminal),
        define(.terminalCapabilities, "Terminal Capabilities", .binary, 3...3, .terminal),
        define(.terminalCountryCode, "Terminal Country Code", .numeric, 2...2, .terminal),
        define(.terminalFloorLimit, "Terminal Floor Limit", .binary, 4...4, .terminal),
        define(.terminalIdentification, "Terminal Identification", .alphanumeric, 8...8, .terminal),
        define(.terminalRiskManagementData, "Terminal Risk Management Data", .binary, 1...8, .terminal),
        define(.terminalType, "Terminal Type", .numeric, 1...1, .terminal),
        define(.terminalVerificationResults, "Terminal Verification Results (TVR)", .binary, 5...5, .terminal),
        define(.transactionCurrencyCode, "Transaction Currency Code", .numeric, 2...2, .terminal),
        define(0x9F3C, "Transaction Reference Currency Code", .numeric, 2...2, .terminal),
        define(0x9F3D, "Transaction Reference Currency Exponent", .numeric, 1...1, .terminal),
        define(.transactionDate, "Transaction Date", .numeric, 3...3, .terminal),
        define(.transactionTime, "Transaction Time", .numeric, 3...3, .terminal),
        define(.transactionSequenceCounter, "Transaction Sequence Counter", .numeric, 2...4, .terminal),
        define(.transactionStatusInformation, "Transaction Status Information (TSI)", .binary, 2...2, .terminal),
        define(.transactionType, "Transaction Type", .numeric, 1...1, .terminal),
        define(.accountType, "Account Type", .numeric, 1...1, .terminal),
        define(.unpredictableNumber, "Unpredictable Number (UN)", .binary, 4...4, .terminal),

        // Biometric verification (EMV 4.4 Book 3, annex A1): what is inside has the names of its template
        define(0xBF4C, "Biometric Try Counters Template", .variable, 0...255, .card),
        define(0xBF4D, "Preferred Attempts Template", .variable, 0...255, .card),

        // Entry point (EMV Contactless Book B 2.11)
        define(.pointOfInteractionInformation, "POI Information", .binary, 0...64, .terminal),
        define(.kernelIdentifierTerminal, "Kernel Identifier - Terminal", .binary, 8...8, .terminal),
        define(.extendedSelection, "Extended Selection", .binary, 0...11, .card),
        define(.kernelIdentifier, "Kernel Identifier", .binary, 1...8, .card),
        define(.terminalCategoriesSupported, "Terminal Categories Supported List", .binary, 2...252, .card),
        define(.selectionDataObjectList, "Selection Data Object List (SDOL)", .variable, 0...252, .card),
        define(productionLifeCycle, "Card Production Life Cycle Data (CPLC)", .binary, 42...42, .card),

        // Contactless, seen in records and logs (EMV Contactless Books C-2 and C-3)
        define(.terminalTransactionQualifiers, "Terminal Transaction Qualifiers (TTQ)", .binary, 4...4, .terminal),
        define(.cardTransactionQualifiers, "Card Transaction Qualifiers (CTQ)", .binary, 2...2, .card),
        define(.cardAuthenticationRelatedData, "Card Authentication Related Data", .binary, 5...16, .card),
        define(.track2DataContactless, "Track 2 Data (magnetic stripe mode)", .binary, 0...19, .card),
    ]
}
