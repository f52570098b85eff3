import Bytes
import CardCryptography
import JSONDocument
import TLV
import VirtualCard

extension CardProfile {
    static let keys = [
        "applications", "paymentSystemEnvironment", "languages", "account", "issuerCountryCode",
        "applicationCurrencyCode", "applicationCurrencyExponent", "versionNumber", "aip", "auc", "cvmList",
        "actionCodes", "limits", "files", "pdol", "cdol1", "cdol2", "ddol", "logFormat", "responseFormat", "pin",
        "pinTryLimit", "keys", "testMasterKeys", "cryptograms", "initialATC", "riskRules", "scripts", "blocked",
        "contactless",
    ]

    private static let formats: [(String, ResponseFormat)] = [("format1", .format1), ("format2", .format2)]

    init(_ members: Members) throws(DocumentError) {
        self.init(
            applications: try members.required("applications").list { place throws(DocumentError) in
                try CardApplication(place)
            },
            account: try CardAccount(members.required("account")),
            versionNumber: try members.required("versionNumber").bytes(2...2).reduce(0) { $0 << 8 | UInt16($1) },
            cryptograms: try members.required("cryptograms").choice(CryptogramScheme.names))
        let cipher = cryptograms.version.cipher
        issuerMasterKeys = cipher == .aes ? .testIssuerAESKeys : .testIssuerKeys
        try takeSelection(members)
        try takeData(members)
        try takeLists(members)
        try takeSecrets(members)
        try takeBehavior(members)
        try members.take("testMasterKeys", &issuerMasterKeys) { place throws(DocumentError) in
            try MasterKeySet(place, cipher)
        }
        do throws(PersonalizationError) {
            try validate()
        } catch {
            throw DocumentError(error.key, ProfileFault.personalization(error))
        }
    }

    private mutating func takeSelection(_ members: Members) throws(DocumentError) {
        try members.take("paymentSystemEnvironment", &hasPaymentSystemEnvironment) { place throws(DocumentError) in
            try place.flag()
        }
        try members.take("languages", &languages) { place throws(DocumentError) in
            let languages = try place.list { place throws(DocumentError) in
                let language = try place.text(2...2)
                guard language.utf8.allSatisfy({ (0x61...0x7A).contains($0) }) else {
                    throw place.wrong(ProfileFault.language(language))
                }
                return language
            }
            guard languages.count <= 4 else { throw place.wrong(ProfileFault.languageCount(languages.count)) }
            return languages
        }
    }

    private mutating func takeData(_ members: Members) throws(DocumentError) {
        try members.take("issuerCountryCode", &issuerCountryCode) { place throws(DocumentError) in
            try place.number(0...999)
        }
        try members.take("applicationCurrencyCode", &applicationCurrencyCode) { place throws(DocumentError) in
            try place.number(0...999)
        }
        try members.take("applicationCurrencyExponent", &applicationCurrencyExponent) { place throws(DocumentError) in
            try place.number(0...9)
        }
        try members.take("aip", &interchangeProfile) { place throws(DocumentError) in
            try ApplicationInterchangeProfile(place)
        }
        try members.takeOrNull("auc", &usageControl) { place throws(DocumentError) in try ApplicationUsageControl(place)
        }
        try members.takeOrNull("cvmList", &cvmList) { place throws(DocumentError) in try CVMList(place) }
        try members.take("actionCodes", &actionCodes) { place throws(DocumentError) in try IssuerActionCodes(place) }
        try members.takeOrNull("limits", &consecutiveOfflineLimits, Limits.read)
        try members.takeOrNull("files", &fileLayout) { place throws(DocumentError) in try CardFileLayout(place) }
    }

    private mutating func takeLists(_ members: Members) throws(DocumentError) {
        func list(_ place: Place) throws(DocumentError) -> DOL { try DOL(place) }
        try members.takeOrNull("pdol", &pdol, list)
        try members.take("cdol1", &cdol1, list)
        try members.take("cdol2", &cdol2, list)
        try members.takeOrNull("ddol", &ddol, list)
        try members.takeOrNull("logFormat", &logFormat, list)
        try members.take("responseFormat", &responseFormat) { place throws(DocumentError) in
            try place.choice(Self.formats)
        }
    }

    private mutating func takeSecrets(_ members: Members) throws(DocumentError) {
        try members.takeOrNull("pin", &pin) { place throws(DocumentError) in
            guard let pin = PIN(ascii: try place.digits(4...12, isSecret: true).utf8) else {
                throw place.wrong(ValueFault.digits(4...12, found: nil))
            }
            return pin
        }
        try members.take("pinTryLimit", &pinTryLimit) { place throws(DocumentError) in try place.number(1...15) }
        if let place = members["keys"] { try Keys.read(place, into: &self) }
    }

    private mutating func takeBehavior(_ members: Members) throws(DocumentError) {
        try members.take("initialATC", &initialATC) { place throws(DocumentError) in try place.number(0...UInt16.max) }
        try members.take("riskRules", &riskRule) { place throws(DocumentError) in try CardRiskRule(place) }
        if let place = members["scripts"] { try Scripts.read(place, into: &self) }
        try members.take("blocked", &isBlocked) { place throws(DocumentError) in try place.flag() }
        try members.takeOrNull("contactless", &contactless) { place throws(DocumentError) in
            try ContactlessProfile(place)
        }
    }

    var members: [String: JSON] {
        [
            "applications": .list(applications.map(\.json)),
            "paymentSystemEnvironment": .flag(hasPaymentSystemEnvironment),
            "languages": .list(languages.map { .text($0) }), "account": account.json,
            "issuerCountryCode": .number(issuerCountryCode),
            "applicationCurrencyCode": .number(applicationCurrencyCode),
            "applicationCurrencyExponent": .number(applicationCurrencyExponent),
            "versionNumber": .hex([UInt8(truncatingIfNeeded: versionNumber >> 8), UInt8(versionNumber & 0xFF)]),
            "aip": interchangeProfile.json,
            "auc": .orNull(usageControl, \.json), "cvmList": .orNull(cvmList, \.json), "actionCodes": actionCodes.json,
            "limits": .orNull(consecutiveOfflineLimits, Limits.json), "files": .orNull(fileLayout, \.json),
            "pdol": .orNull(pdol, \.json),
            "cdol1": cdol1.json, "cdol2": cdol2.json, "ddol": .orNull(ddol, \.json),
            "logFormat": .orNull(logFormat, \.json),
            "responseFormat": .name(responseFormat, Self.formats), "pin": .orNull(pin, \.json),
            "pinTryLimit": .number(pinTryLimit),
            "keys": Keys.json(self), "testMasterKeys": issuerMasterKeys.json,
            "cryptograms": .name(cryptograms, CryptogramScheme.names),
            "initialATC": .number(initialATC), "riskRules": riskRule.json, "scripts": Scripts.json(self),
            "blocked": .flag(isBlocked),
            "contactless": .orNull(contactless, \.json),
        ]
    }
}

extension PIN {
    /// The digits, which begin at the third half byte of a plaintext PIN block (EMV 4.4 Book 3,
    /// 6.5.12.2): a card profile contains its PIN.
    fileprivate var json: JSON {
        .orNull(try? PINBlock.format2.encode(self).revealed().hex) { .text(String($0.dropFirst(2).prefix(count))) }
    }
}

extension PersonalizationError {
    /// The key of the profile that the error is about.
    fileprivate var key: String {
        switch self {
        case .noApplication, .applicationIdentifier, .severalApplications, .preferredName: "applications"
        case .pan: "account.pan"
        case .missing(_, .cdol1): "cdol1"
        case .missing(_, .cdol2): "cdol2"
        case .missing(_, .pdol), .contactlessKeys, .fieldLength(.formFactorIndicator),
            .fieldLength(.applicationProgramIdentifier),
            .fieldLength(0x9F66), .fieldLength(.track2DataContactless):
            "contactless"
        case .cryptogramDataNotFirst, .fieldLength(.restartIndicator): "contactless"
        case .fieldLength(let tag) where tag.isDataEnvelope: "contactless"
        case .issuerApplicationData: "cryptograms"
        case .layout: "files"
        case .masterKey: "testMasterKeys"
        case .key: "keys"
        case .fieldLength(.languagePreference): "languages"
        case .fieldLength(.applicationLabel), .fieldLength(.applicationPreferredName): "applications"
        case .fieldLength, .missing, .certificate: "account"
        }
    }
}
