private import Bytes
private import CardCapture
private import CardCryptography
import EMVKernel
import JSONDocument
import PaymentTerminal
private import TLV

extension TerminalFile {
    /// The document with every key, including defaults, in a stable form.
    public var json: String {
        let merchant = kernel.merchant
        var document: [String: JSON] = [
            "merchant": .object(
                sorted: [
                    "name": .text(terminal.merchantName), "location": .orNull(location) { .text($0) },
                    "identifier": .orNull(merchant.identifier.nonEmpty) { .text($0) },
                    "categoryCode": .number(merchant.categoryCode),
                    "acquirer": .text(String(merchant.acquirerIdentifier)),
                ].withoutNulls),
            "terminal": terminal.json(kernel), "offline": terminal.offline.json, "timeLimits": terminal.limits.json,
            "responseCodes": terminal.responseCodes.json, "kernel": kernel.json,
            "applications": .list(kernel.applications.map(\.json)),
            "contactless": .list(contactless.compactMap(\.json)),
            "caKeys": .orNull(caKeyFile) { .text($0) },
            "exceptions": .orNull(exceptionFiles) { .object(["file": .text($0.file), "key": .text($0.key)]) },
            "devices": .orNull(deviceFile) { .text($0) },
            "paymentLog": .orNull(paymentLog) {
                .object(["folder": .text($0.path), "maximumCount": .number($0.maximumCount)])
            },
        ]
        let revoked = kernel.revokedCertificates.sorted {
            ($0.rid.hex, $0.caKeyIndex, $0.serialNumber.hex) < ($1.rid.hex, $1.caKeyIndex, $1.serialNumber.hex)
        }
        document["revokedCertificates"] = .list(
            revoked.map {
                .object([
                    "rid": .hex($0.rid), "caKeyIndex": .hex([$0.caKeyIndex]), "serialNumber": .hex($0.serialNumber),
                ])
            })
        return JSON.object(sorted: document).formatted
    }

    /// The text after the merchant's name in tag `9F4E`.
    private var location: String? {
        let start = terminal.merchantName + ", "
        guard kernel.merchant.nameAndLocation.hasPrefix(start) else { return nil }
        return String(kernel.merchant.nameAndLocation.dropFirst(start.count))
    }
}

extension Terminal.Configuration {
    fileprivate func json(_ kernel: TerminalConfiguration) -> JSON {
        let signature: JSON =
            switch signature {
            case .onPaper: .text("onPaper")
            case .captured(isVerified: false): .text("captured")
            case .captured(isVerified: true): .text("capturedAndVerified")
            }
        return .object([
            "id": .text(terminalID), "currency": .text(currency.code), "country": .number(kernel.countryCode),
            "mode": .name(mode, Mode.names), "languages": .list(kernel.languages.map { .text($0.code) }),
            "maximumAmount": .orNull(maximumAmount) { .text($0.decimal) },
            "customFields": .orNull(customFields) { .list($0.sorted().map { .text($0) }) }, "signature": signature,
            "unsentFields": .name(unsentFields, UnsentFields.names),
            "secureCardVerification": .name(secureCardVerification, SecureCardVerification.names),
            "minimumBattery": .number(minimumBattery), "journalRetention": .orNull(journalRetention) { .number($0) },
        ])
    }
}

extension OfflinePolicy {
    fileprivate var json: JSON {
        let deferred = deferredAuthorization.intersection(Self.deferrable)
        return .object([
            "maximumCount": .number(maximumCount), "maximumAmount": .orNull(maximumAmount) { .amount($0) },
            "maximumTotal": .orNull(maximumTotal) { .amount($0) },
            "deferredAuthorization": .list(
                CapturedCard.EntryMode.names.filter { deferred.contains($0.1) }.map { .text($0.0) }),
            "splitSaleHours": .orNull(splitSaleHours) { .number($0) },
        ])
    }
}

extension TimeLimits {
    fileprivate var json: JSON {
        .object(
            sorted: Dictionary(
                uniqueKeysWithValues: Self.names.map { name, path in
                    let (seconds, attoseconds) = self[keyPath: path].components
                    return (name, .number(seconds * 1000 + attoseconds / 1_000_000_000_000_000))
                }))
    }
}

extension ResponseCodes {
    fileprivate var json: JSON {
        .object([
            "approving": .list(approving.sorted().map { .text($0) }),
            "referral": .list(referral.sorted().map { .text($0) }),
        ])
    }
}

extension TerminalConfiguration {
    fileprivate var json: JSON {
        .object(
            sorted: [
                "type": .hex([type.rawValue]), "capabilities": capabilities.json,
                "additionalCapabilities": additionalCapabilities.json,
                "allowsPlaintextOfflinePIN": .flag(allowsPlaintextOfflinePIN),
                "maximumScriptLength": .number(maximumScriptLength),
                "usesPaymentSystemEnvironment": .flag(usesPaymentSystemEnvironment),
                "cardholderSelectsApplication": .flag(cardholderSelectsApplication),
                "emptyCandidateListEntryMode": .name(emptyCandidateListEntryMode, Fallback.EntryMode.names),
                "interfaceDeviceSerialNumber": .orNull(merchant.interfaceDeviceSerialNumber.nonEmpty) { .text($0) },
                "additionalData": .object(
                    sorted: Dictionary(
                        additionalData.tags.map { ($0.description, .hex(additionalData[$0] ?? [])) },
                        uniquingKeysWith: { $1 })),
            ].withoutNulls)
    }
}

extension ApplicationConfiguration {
    fileprivate var json: JSON {
        .object([
            "aid": .hex(aid), "matchesPartially": .flag(matchesPartially),
            "versions": .list(versions.map(JSON.version)),
            "actionCodes": actionCodes.json,
            "floorLimit": .number(floorLimit),
            "randomSelection": .object([
                "targetPercentage": .number(randomSelection.targetPercentage),
                "maximumPercentage": .number(randomSelection.maximumPercentage),
                "threshold": .number(randomSelection.threshold),
            ]),
            "defaultDDOL": .hex(defaultDDOL), "defaultTDOL": .orNull(defaultTDOL) { .hex($0) },
            "capabilities": .orNull(capabilities) { $0.json },
            "riskManagementData": .orNull(riskManagementData) { .hex($0) },
        ])
    }
}

extension ActionCodes {
    var json: JSON { .object(["denial": denial.json, "online": online.json, "default": self.default.json]) }
}

extension JSON {
    /// Tag `9F09`.
    static func version(_ version: UInt16) -> JSON {
        .hex([UInt8(truncatingIfNeeded: version >> 8), UInt8(truncatingIfNeeded: version)])
    }
}

extension String {
    fileprivate var nonEmpty: String? { isEmpty ? nil : self }
}

extension [String: JSON] {
    /// For keys that have a default and do not accept null.
    fileprivate var withoutNulls: Self { filter { $0.value != .null } }
}
