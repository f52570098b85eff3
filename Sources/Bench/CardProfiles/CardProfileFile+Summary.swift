import Bytes
import CardCryptography
import SmartCard
import TLV
import VirtualCard

extension CardProfileFile {
    /// The summary of one interface of the card.
    public struct Section: Sendable, Equatable {
        public let title: String
        public let lines: [String]
    }

    /// The card for people to read, with a masked PAN, without name, dates, PIN and keys.
    public var summary: [Section] {
        [
            Section(title: "Applications", lines: profile.applications.map(\.summary)),
            Section(title: "Account", lines: account),
            Section(title: "Application interchange profile", lines: profile.interchangeProfile.meanings),
            Section(title: "Cardholder verification", lines: verification),
            Section(title: "Keys and cryptograms", lines: keys),
            Section(title: "Behavior", lines: behavior), Section(title: "Faults", lines: faults.map(\.summary)),
            Section(title: "Expected", lines: expectation.map { [$0.summary] } ?? []),
        ].filter { !$0.lines.isEmpty }
    }

    private var account: [String] {
        let account = profile.account
        return [
            "PAN \(Redaction.maskedPAN(account.pan.revealed())), sequence number \(account.panSequenceNumber.map(String.init) ?? "none")",
            "country \(profile.issuerCountryCode), currency \(profile.applicationCurrencyCode)",
        ]
    }

    private var verification: [String] {
        let rules = profile.cvmList.map { $0.rules.map(\.summary) } ?? ["no CVM list"]
        return rules + [
            profile.pin == nil ? "the card has no PIN" : "the card has a PIN, and \(profile.pinTryLimit) tries for it"
        ]
    }

    private var keys: [String] {
        let sizes = profile.keySizes
        let name = CryptogramScheme.names.first { $0.1 == profile.cryptograms }?.0 ?? "of its own"
        let kind =
            profile.ellipticCurve.map { "elliptic curve keys, \($0 == .p256 ? "P-256" : "P-521")" }
            ?? "RSA keys: authority \(sizes.certificationAuthority), issuer \(sizes.issuer), card \(sizes.icc) bits, exponent \(sizes.exponent)"
        return [
            kind + (profile.hasPINEnciphermentKey ? ", one more for PINs" : ""),
            "test authority key \([profile.caPublicKeyIndex].hex), cryptograms \(name) under test keys",
        ]
    }

    private var behavior: [String] {
        let rule = profile.riskRule
        let lines: [String?] = [
            profile.isBlocked ? "the card is blocked" : nil,
            profile.hasPaymentSystemEnvironment ? nil : "no directory (PSE)",
            profile.languages.isEmpty ? nil : "languages \(profile.languages.joined(separator: ", "))",
            profile.consecutiveOfflineLimits.map { "consecutive offline limits \($0.lowerBound) and \($0.upperBound)" },
            rule.declinesAbove.map { "declines above \($0) minor units" },
            rule.goesOnlineAbove.map { "asks for the issuer above \($0) minor units" },
            rule.approvesWhenUnableToGoOnline ? nil : "declines where the issuer cannot be reached",
            rule.requiresIssuerAuthentication ? "declines without issuer authentication" : nil,
            profile.fileLayout.map { layout in
                "files "
                    + layout.files.map { "\($0.sfi): \($0.records.count) records, \($0.authenticatedCount) signed" }
                    .joined(separator: "; ")
            },
        ]
        return lines.compactMap(\.self)
    }
}

extension CardApplication {
    fileprivate var summary: String {
        "\(aid.hex) \"\(label)\"" + (preferredName.map { " (\"\($0)\")" } ?? "")
            + (priority.map { ", priority \($0)" } ?? "")
            + (needsConfirmation ? ", needs confirmation" : "") + (isBlocked ? ", blocked" : "")
    }
}

extension CardFault {
    fileprivate var summary: String {
        let effect =
            switch effect {
            case .removal: "the card is removed"
            case .silence: "no answer comes"
            case .status(let status): "the answer is SW \(status)"
            case .corruption(let index, let mask): "byte \(index) of the answer is changed by \([mask].hex)"
            case .truncation(let length): "the answer ends after \(length) bytes"
            case .delay(let milliseconds): "the answer is \(milliseconds) ms late"
            case .previousAnswer: "the answer is that of the command before"
            case .endlessChaining: "61xx without end"
            case .endlessWrongLength: "6Cxx without end"
            case .cryptogramInformation(let value): "the CID is \([value].hex)"
            case .firstFCI: "SELECT is answered with the first FCI"
            case .oneMoreApplication: "SELECT next finds one more application"
            case .waitingTimeExtensions(let times):
                "the card asks for more time \(times.map { "\($0) times" } ?? "without end")"
            case .replacement(let tag, let value): "tag \(tag) of the answer is \(Redaction.hex(tag, value))"
            case .otherName(let name, let own): "\(own.hex) has the name \(name.hex)"
            case .secondCard(let times):
                "another card is in the field \(times.map { "at the first \($0) presentations" } ?? "at each presentation")"
            }
        switch occasion {
        case .step(let step): return "command \(step): \(effect)"
        case .command(let instruction, let occurrence): return "\(instruction.name) \(occurrence): \(effect)"
        case .every(let instruction): return "every \(instruction.name): \(effect)"
        case .always: return "always: \(effect)"
        }
    }
}

extension CardExpectation {
    fileprivate var summary: String {
        let found = tvr.map {
            $0.isEmpty ? "no bit of the TVR set" : "TVR \($0): \($0.meanings.joined(separator: "; "))"
        }
        return (["\(amount) minor units: \(verdict.rawValue)"] + [found, termination].compactMap(\.self)).joined(
            separator: ", ")
    }
}
