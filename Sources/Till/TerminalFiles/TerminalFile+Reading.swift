private import Bytes
private import CardCapture
private import CardCryptography
private import Contactless
import EMVKernel
public import JSONDocument
public import PaymentTerminal
private import TLV

extension TerminalFile {
    /// Reads a document. Missing values have the defaults of ``Terminal/Configuration`` and
    /// ``TerminalConfiguration``; unknown keys are refused.
    ///
    /// - Parameters:
    ///   - keys: Returns the text of the file in `caKeys`.
    ///   - exceptions: Returns the list in `exceptions`.
    ///   - devices: Returns the list in `devices`.
    ///   - paymentLog: Returns the folder in `paymentLog`; without it the key is refused.
    public init(
        parsing text: String, keys: (String) throws(DocumentError) -> String,
        exceptions: (ExceptionFileNames) throws(DocumentError) -> ExceptionFile,
        devices: (String) throws(DocumentError) -> Terminal.DeviceList,
        paymentLog: ((LogFolder) throws(DocumentError) -> Terminal.PaymentLogFolder)? = nil
    ) throws(DocumentError) {
        self = try Place.document(text) { place throws(DocumentError) in
            try Self(place, keys: keys, exceptions: exceptions, devices: devices, paymentLog: paymentLog)
        }
    }

    private init(
        _ place: Place, keys: (String) throws(DocumentError) -> String,
        exceptions: (ExceptionFileNames) throws(DocumentError) -> ExceptionFile,
        devices: (String) throws(DocumentError) -> Terminal.DeviceList,
        paymentLog: ((LogFolder) throws(DocumentError) -> Terminal.PaymentLogFolder)?
    ) throws(DocumentError) {
        let document = try place.members([
            "merchant", "terminal", "offline", "timeLimits", "responseCodes", "kernel", "applications", "contactless",
            "caKeys", "exceptions", "devices", "paymentLog", "revokedCertificates",
        ])
        let merchant = try document.required("merchant").members([
            "name", "location", "identifier", "categoryCode", "acquirer",
        ])
        let terminal = try document.required("terminal").members([
            "id", "currency", "country", "mode", "languages", "maximumAmount", "customFields", "signature",
            "unsentFields", "secureCardVerification", "minimumBattery", "journalRetention",
        ])
        let currency = try terminal.required("currency").currency()
        var configuration = Terminal.Configuration(
            merchantName: try merchant.required("name").line(), terminalID: try terminal.required("id").ascii(1...8),
            currency: currency)
        try configuration.take(terminal)
        try document.take("offline", &configuration.offline) { place throws(DocumentError) in try OfflinePolicy(place) }
        try document.take("timeLimits", &configuration.limits) { place throws(DocumentError) in try TimeLimits(place) }
        try document.take("responseCodes", &configuration.responseCodes) { place throws(DocumentError) in
            try ResponseCodes(place)
        }

        var kernel = TerminalConfiguration.attended(
            countryCode: try terminal.required("country").number(1...999), caKeys: [])
        kernel.merchant.terminalIdentification = configuration.terminalID
        kernel.merchant.nameAndLocation = configuration.merchantName
        kernel.responseCodes = configuration.responseCodes
        try terminal.take("languages", &kernel.languages) { place throws(DocumentError) in
            try place.list { place throws(DocumentError) in try place.language() }
        }
        try kernel.merchant.take(merchant)
        if let place = document["kernel"] { try kernel.take(place) }
        try document.take("applications", &kernel.applications) { place throws(DocumentError) in
            try place.list { place throws(DocumentError) in try ApplicationConfiguration(place) }
        }
        let hasPINPad = kernel.capabilities.contains(.encipheredOnlinePIN)
        let contactless =
            try document["contactless"]?.list { place throws(DocumentError) in
                try Combination(place, hasPINPad: hasPINPad)
            } ?? []
        var caKeyFile: String?
        try document.takeOrNull("caKeys", &caKeyFile) { place throws(DocumentError) in try place.line() }
        if let caKeyFile {
            let text = try keys(caKeyFile)
            do throws(CAPublicKeyFileError) {
                kernel.caKeys = try CAPublicKeyFile.parse(text)
            } catch {
                throw DocumentError("caKeys", ConfigurationFault.caKeys(caKeyFile, error))
            }
        }
        try document.take("revokedCertificates", &kernel.revokedCertificates) { place throws(DocumentError) in
            Set(try place.list { place throws(DocumentError) in try CertificateRevocation(place) })
        }
        var exceptionFiles: ExceptionFileNames?
        try document.takeOrNull("exceptions", &exceptionFiles) { place throws(DocumentError) in
            try ExceptionFileNames(place)
        }
        if let exceptionFiles { configuration.exceptions = try exceptions(exceptionFiles) }
        var deviceFile: String?
        try document.takeOrNull("devices", &deviceFile) { place throws(DocumentError) in try place.line() }
        if let deviceFile { configuration.devices = try devices(deviceFile) }
        var logFolder: LogFolder?
        try document.takeOrNull("paymentLog", &logFolder) { place throws(DocumentError) in try LogFolder(place) }
        if let logFolder {
            guard let paymentLog else { throw DocumentError("paymentLog", ConfigurationFault.onlyInAFile) }
            configuration.paymentLog = try paymentLog(logFolder)
        }
        self.init(
            terminal: configuration, kernel: kernel, contactless: contactless, caKeyFile: caKeyFile,
            exceptionFiles: exceptionFiles,
            deviceFile: deviceFile, paymentLog: logFolder)
    }
}

extension Terminal.Configuration {
    fileprivate mutating func take(_ members: Members) throws(DocumentError) {
        try members.take("mode", &mode) { place throws(DocumentError) in try place.choice(Mode.names) }
        try members.takeOrNull("maximumAmount", &maximumAmount) { [currency] place throws(DocumentError) in
            try place.money(in: currency)
        }
        try members.takeOrNull("customFields", &customFields) { place throws(DocumentError) in
            Set(try place.list { place throws(DocumentError) in try place.line() })
        }
        try members.take("signature", &signature) { place throws(DocumentError) in
            try place.choice(SignatureCapture.names)
        }
        try members.take("unsentFields", &unsentFields) { place throws(DocumentError) in
            try place.choice(UnsentFields.names)
        }
        try members.take("secureCardVerification", &secureCardVerification) { place throws(DocumentError) in
            try place.choice(SecureCardVerification.names)
        }
        try members.take("minimumBattery", &minimumBattery) { place throws(DocumentError) in try place.number(0...100) }
        try members.takeOrNull("journalRetention", &journalRetention) { place throws(DocumentError) in
            try place.number(1...36_500)
        }
    }
}

extension TerminalFile.ExceptionFileNames {
    fileprivate init(_ place: Place) throws(DocumentError) {
        let members = try place.members(["file", "key"])
        self.init(file: try members.required("file").line(), key: try members.required("key").line())
    }
}

extension TerminalFile.LogFolder {
    fileprivate init(_ place: Place) throws(DocumentError) {
        let members = try place.members(["folder", "maximumCount"])
        self.init(path: try members.required("folder").line())
        try members.take("maximumCount", &maximumCount) { place throws(DocumentError) in try place.number(1...100_000) }
    }
}

extension OfflinePolicy {
    fileprivate init(_ place: Place) throws(DocumentError) {
        let members = try place.members([
            "maximumCount", "maximumAmount", "maximumTotal", "deferredAuthorization", "splitSaleHours",
        ])
        self.init()
        try members.take("maximumCount", &maximumCount) { place throws(DocumentError) in try place.number(0...10_000) }
        try members.takeOrNull("maximumAmount", &maximumAmount, Place.amount)
        try members.takeOrNull("maximumTotal", &maximumTotal, Place.amount)
        try members.takeOrNull("splitSaleHours", &splitSaleHours) { place throws(DocumentError) in
            try place.number(1...720)
        }
        try members.take("deferredAuthorization", &deferredAuthorization) { place throws(DocumentError) in
            Set(
                try place.list { place throws(DocumentError) in
                    let mode = try place.choice(CapturedCard.EntryMode.names)
                    guard OfflinePolicy.deferrable.contains(mode) else {
                        throw place.wrong(ConfigurationFault.chipDecides)
                    }
                    return mode
                })
        }
    }
}

extension TimeLimits {
    fileprivate init(_ place: Place) throws(DocumentError) {
        let members = try place.members(Self.names.map(\.0))
        self.init()
        for (name, path) in Self.names {
            try members.take(name, &self[keyPath: path]) { place throws(DocumentError) in
                .milliseconds(try place.number(1...3_600_000) as Int)
            }
        }
    }
}

extension ResponseCodes {
    fileprivate init(_ place: Place) throws(DocumentError) {
        let members = try place.members(["approving", "referral"])
        self.init()
        let codes: Place.Reader<Set<String>> = { place throws(DocumentError) in
            Set(try place.list { place throws(DocumentError) in try place.ascii(2...2) })
        }
        try members.take("approving", &approving, codes)
        try members.take("referral", &referral, codes)
    }
}

extension TerminalConfiguration.Merchant {
    fileprivate mutating func take(_ members: Members) throws(DocumentError) {
        if let location = members["location"] { nameAndLocation += ", " + (try location.line()) }
        try members.take("identifier", &identifier) { place throws(DocumentError) in try place.ascii(1...15) }
        try members.take("categoryCode", &categoryCode) { place throws(DocumentError) in try place.number(0...9999) }
        try members.take("acquirer", &acquirerIdentifier) { place throws(DocumentError) in
            UInt64(try place.digits(1...11)) ?? 0
        }
    }
}

extension TerminalConfiguration {
    fileprivate mutating func take(_ place: Place) throws(DocumentError) {
        let members = try place.members([
            "type", "capabilities", "additionalCapabilities", "allowsPlaintextOfflinePIN", "maximumScriptLength",
            "usesPaymentSystemEnvironment", "cardholderSelectsApplication", "emptyCandidateListEntryMode",
            "interfaceDeviceSerialNumber", "additionalData",
        ])
        try members.take("type", &type) { place throws(DocumentError) in
            TerminalType(rawValue: try place.bytes(1...1)[0])
        }
        try members.take("capabilities", &capabilities) { place throws(DocumentError) in try TerminalCapabilities(place)
        }
        try members.take("additionalCapabilities", &additionalCapabilities) { place throws(DocumentError) in
            try AdditionalTerminalCapabilities(place)
        }
        try members.take("allowsPlaintextOfflinePIN", &allowsPlaintextOfflinePIN) { place throws(DocumentError) in
            try place.flag()
        }
        try members.take("maximumScriptLength", &maximumScriptLength) { place throws(DocumentError) in
            try place.number(128...65_535)
        }
        try members.take("usesPaymentSystemEnvironment", &usesPaymentSystemEnvironment) { place throws(DocumentError) in
            try place.flag()
        }
        try members.take("cardholderSelectsApplication", &cardholderSelectsApplication) { place throws(DocumentError) in
            try place.flag()
        }
        try members.take("emptyCandidateListEntryMode", &emptyCandidateListEntryMode) { place throws(DocumentError) in
            try place.choice(Fallback.EntryMode.names)
        }
        try members.take("interfaceDeviceSerialNumber", &merchant.interfaceDeviceSerialNumber) {
            place throws(DocumentError) in
            try place.ascii(8...8)
        }
        if let place = members["additionalData"] {
            for (key, value) in try place.members() {
                guard let tag = Tag(hex: key) else { throw value.wrong(ConfigurationFault.keyIsNotATag) }
                additionalData[tag] = try value.bytes(0...252)
            }
        }
    }
}

extension ApplicationConfiguration {
    /// The name of a preset, or an object that may begin with one.
    fileprivate init(_ place: Place) throws(DocumentError) {
        if case .text = place.value {
            self = try place.choice(Self.presets)
            return
        }
        let members = try place.members([
            "preset", "aid", "matchesPartially", "versions", "actionCodes", "floorLimit", "randomSelection",
            "defaultDDOL", "defaultTDOL", "capabilities", "riskManagementData",
        ])
        if let preset = members["preset"] {
            self = try preset.choice(Self.presets)
        } else {
            self.init(
                aid: try members.required("aid").bytes(5...16),
                versions: try members.required("versions").list { place throws(DocumentError) in try place.version() })
        }
        try members.take("aid", &aid) { place throws(DocumentError) in try place.bytes(5...16) }
        try members.take("matchesPartially", &matchesPartially) { place throws(DocumentError) in try place.flag() }
        try members.take("versions", &versions) { place throws(DocumentError) in
            try place.list { place throws(DocumentError) in try place.version() }
        }
        try members.take("actionCodes", &actionCodes) { place throws(DocumentError) in try ActionCodes(place) }
        try members.take("floorLimit", &floorLimit) { place throws(DocumentError) in try place.number(0...UInt32.max) }
        try members.take("randomSelection", &randomSelection) { place throws(DocumentError) in
            try RandomSelection(place)
        }
        try members.take("defaultDDOL", &defaultDDOL) { place throws(DocumentError) in try place.bytes(0...252) }
        try members.takeOrNull("defaultTDOL", &defaultTDOL) { place throws(DocumentError) in try place.bytes(0...252) }
        try members.takeOrNull("capabilities", &capabilities) { place throws(DocumentError) in
            try TerminalCapabilities(place)
        }
        try members.takeOrNull("riskManagementData", &riskManagementData) { place throws(DocumentError) in
            try place.bytes(1...8)
        }
    }
}

extension ActionCodes {
    init(_ place: Place) throws(DocumentError) {
        let members = try place.members(["denial", "online", "default"])
        self.init()
        let bits: Place.Reader<TerminalVerificationResults> = { place throws(DocumentError) in
            try TerminalVerificationResults(place)
        }
        try members.take("denial", &denial, bits)
        try members.take("online", &online, bits)
        try members.take("default", &self.default, bits)
    }
}

extension RandomSelection {
    fileprivate init(_ place: Place) throws(DocumentError) {
        let members = try place.members(["targetPercentage", "maximumPercentage", "threshold"])
        self.init()
        try members.take("targetPercentage", &targetPercentage) { place throws(DocumentError) in
            try place.number(0...99)
        }
        try members.take("maximumPercentage", &maximumPercentage) { place throws(DocumentError) in
            try place.number(0...99)
        }
        try members.take("threshold", &threshold) { place throws(DocumentError) in try place.number(0...UInt32.max) }
        guard maximumPercentage >= targetPercentage else { throw place.wrong(ConfigurationFault.percentages) }
    }
}

extension CertificateRevocation {
    fileprivate init(_ place: Place) throws(DocumentError) {
        let members = try place.members(["rid", "caKeyIndex", "serialNumber"])
        self.init(
            rid: try members.required("rid").bytes(5...5),
            caKeyIndex: try members.required("caKeyIndex").bytes(1...1)[0],
            serialNumber: try members.required("serialNumber").bytes(3...3))
    }
}

extension Place {
    /// Format ans (EMV 4.4 Book 3, 4.3), without control characters.
    fileprivate func ascii(_ length: ClosedRange<Int>) throws(DocumentError) -> String {
        let text = try text(length)
        guard text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else { throw wrong(ConfigurationFault.notASCII) }
        return text
    }

    fileprivate func currency() throws(DocumentError) -> Currency {
        guard let currency = Currency(code: try text(3...3)) else { throw wrong(ConfigurationFault.currency) }
        return currency
    }

    fileprivate func money(in currency: Currency) throws(DocumentError) -> Money {
        let decimal = try text()
        do throws(MoneyError) {
            return try Money(parsing: decimal, in: currency)
        } catch {
            throw wrong(ConfigurationFault.amount(error))
        }
    }

    fileprivate func language() throws(DocumentError) -> Language {
        guard let language = Language(try text(2...2)) else { throw wrong(ConfigurationFault.language) }
        return language
    }

    /// Tag `9F09`.
    func version() throws(DocumentError) -> UInt16 {
        try bytes(2...2).reduce(0) { $0 << 8 | UInt16($1) }
    }
}
