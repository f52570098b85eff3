import Bytes
import CardCryptography
import CardInspection
import EMVKernel
import SmartCard
import TLV
import Testing
import VirtualCard

/// Every kind of finding, provoked by a change to a card that has none. What is right and wrong is
/// from the clause that the finding names.
@Suite("Each kind of finding, provoked by a change to a card") struct FindingTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let kind: CardFinding.Kind
        let severity: CardFinding.Severity
        let tag: TLV.Tag?
        let what: String
        let change: @Sendable (inout CardImage) -> Void

        init(
            _ kind: CardFinding.Kind, severity: CardFinding.Severity, tag: TLV.Tag?, what: String,
            change: @escaping @Sendable (inout CardImage) -> Void
        ) {
            (self.kind, self.severity, self.tag, self.what, self.change) = (kind, severity, tag, what, change)
        }

        var testDescription: String { "\(kind.rawValue): \(what)" }
    }

    @Test func aCleanCard() async throws {
        #expect(try await ReadCard.visa.value.findings() == [])
        #expect(try await ReadCard.curve.value.findings() == [])
    }

    @Test("each defect of a card is found", arguments: selection + reading + mandatory + objects + contents) func found(
        _ example: Case
    )
        async throws
    {
        var card = try await ReadCard.visa.value
        example.change(&card.image)
        let findings = card.findings()
        #expect(
            findings.contains {
                $0.kind == example.kind && $0.severity == example.severity && $0.place.tag == example.tag
            },
            "\(findings.map { "\($0.kind) \($0.severity) \($0.place): \($0.summary)" })")
        // What is changed in signed records shows in the certificates too; nothing else does, but
        // what the case itself brings with it.
        let others = findings.filter { ![example.kind, .certificate, .signature].contains($0.kind) }
        #expect(
            others.allSatisfy { Self.companions[example.kind, default: []].contains($0.kind) }, "\(others.map(\.kind))")
        for finding in findings {
            #expect(!finding.source.isEmpty)
            #expect(!finding.summary.contains("4761739001010119"))
        }
    }

    /// Findings that one change cannot do without.
    private static let companions: [CardFinding.Kind: Set<CardFinding.Kind>] = [
        .fciMalformed: [.nameContradicts], .mandatoryObjectMissing: [.track2Contradicts, .locator],
        .emptyObject: [.conditionalObjectMissing],
        .objectFormat: [.track2Contradicts, .dateMalformed], .dateMalformed: [.track2Contradicts, .objectFormat],
        .dateOrder: [.track2Contradicts, .expired, .notYetEffective], .expired: [.track2Contradicts],
        .expiresSoon: [.track2Contradicts],
        .checkDigit: [.track2Contradicts], .listMalformed: [.optionsRefused, .listEntry],
        .priority: [.applicationBlocked],
        .verificationRuleReserved: [.verificationListUnusable], .duplicateObject: [.misplacedObject],
        .objectLength: [.track2Contradicts, .nameCharacters],
    ]

    // MARK: Selection

    static let selection: [Case] = [
        Case(.answerToReset, severity: .error, tag: nil, what: "a programming voltage") {
            $0.answerToReset = [0x3B, 0x60, 0x25, 0x00]
        },
        Case(.answerToReset, severity: .error, tag: nil, what: "no answer to reset") { $0.answerToReset = [0x3B] },
        Case(.noApplication, severity: .error, tag: nil, what: "no application") {
            $0.applications = []
            $0.directory = []
            $0.environment = CardImage.Answer([], .fileNotFound)
        },
        Case(.applicationBlocked, severity: .warning, tag: nil, what: "SW 6283") {
            $0.applications[0].fci.status = .selectedFileInvalidated
        },
        Case(.applicationNotSelectable, severity: .error, tag: nil, what: "SW 6A82 for what the directory offers") {
            $0.applications[0].fci = CardImage.Answer([], .fileNotFound)
        },
        Case(.environmentMalformed, severity: .error, tag: .shortFileIdentifier, what: "no SFI") { image in
            image.environment?.setContents([(.dfName, Array("1PAY.SYS.DDF01".utf8))])
        },
        Case(.environmentMalformed, severity: .warning, tag: nil, what: "another status") { image in
            image.environment = CardImage.Answer([], StatusWord(rawValue: 0x6985))
            image.directory = []
        },
        Case(.directoryMalformed, severity: .error, tag: nil, what: "another template") {
            $0.directory[0].answer.data[0] = 0x71
        },
        Case(.directoryMalformed, severity: .error, tag: nil, what: "no entry") {
            $0.directory[0].answer.data = [0x70, 0x00]
        },
        Case(.directoryMalformed, severity: .error, tag: nil, what: "an entry for a DDF") {
            $0.directory[0].answer.data = tlv(.recordTemplate) {
                $0.append(.applicationTemplate) { $0.append(.ddfName, Array("1DDF.X".utf8)) }
            }
        },
        Case(.directoryMalformed, severity: .error, tag: nil, what: "a name of four bytes") {
            $0.directory[0].answer.data = tlv(.recordTemplate) {
                $0.append(.applicationTemplate) { $0.append(.adfName, [1, 2, 3, 4]) }
            }
        },
        Case(.directoryMalformed, severity: .error, tag: nil, what: "it ends otherwise than with 6A83") { image in
            image.directory[0].answer = CardImage.Answer([], StatusWord(rawValue: 0x6A86))
        },
        Case(.directoryContradictsApplication, severity: .warning, tag: .applicationLabel, what: "another label") {
            $0.editFCI { fci in
                for index in fci.indices where fci[index].tag == .applicationLabel {
                    fci[index].value = Array("OTHER".utf8)
                }
            }
        },
        Case(.fciMalformed, severity: .error, tag: .fciTemplate, what: "another template") {
            $0.applications[0].fci.data[0] = 0x62
        },
        Case(.fciObjectMissing, severity: .warning, tag: .applicationLabel, what: "no label") {
            $0.editFCI { $0.removeAll { $0.tag == .applicationLabel } }
        },
        Case(.nameContradicts, severity: .error, tag: .dfName, what: "another name than the one selected") { image in
            image.applications[0].name[6] ^= 0x01
        },
        Case(.nameCharacters, severity: .warning, tag: .applicationLabel, what: "a hyphen in the label") { image in
            image.directory = []
            image.editFCI { fci in
                for index in fci.indices where fci[index].tag == .applicationLabel {
                    fci[index].value = Array("VISA-CREDIT".utf8)
                }
            }
        },
        Case(.nameCharacters, severity: .warning, tag: .applicationPreferredName, what: "a control character") {
            image in
            image.editFCI { $0 += [(.issuerCodeTableIndex, [0x01]), (.applicationPreferredName, [0x56, 0x1B])] }
        },
        Case(
            .codeTable, severity: .warning, tag: .applicationPreferredName, what: "a preferred name without code table"
        ) { image in
            image.editFCI { $0.append((.applicationPreferredName, Array("CARTE".utf8))) }
        },
        Case(.codeTable, severity: .warning, tag: .issuerCodeTableIndex, what: "part 11 of ISO/IEC 8859") { image in
            image.editFCI { $0.append((.issuerCodeTableIndex, [0x11])) }
        },
        Case(.languages, severity: .warning, tag: .languagePreference, what: "one letter and a half") { image in
            image.editFCI { $0.append((.languagePreference, Array("end".utf8))) }
        },
        Case(.languages, severity: .warning, tag: .languagePreference, what: "capital letters") { image in
            image.editFCI { $0.append((.languagePreference, Array("EN".utf8))) }
        },
        Case(.priority, severity: .warning, tag: .applicationPriorityIndicator, what: "a reserved bit") { image in
            image.directory = []
            image.editFCI { fci in
                for index in fci.indices where fci[index].tag == .applicationPriorityIndicator {
                    fci[index].value = [0x41]
                }
            }
        },
        Case(.priority, severity: .remark, tag: .applicationPriorityIndicator, what: "two applications of priority 1") {
            image in
            var second = image.applications[0]
            second.name[6] ^= 0x01
            second.fci.status = .selectedFileInvalidated
            image.applications.append(second)
        },
        Case(.objectLength, severity: .error, tag: .applicationPriorityIndicator, what: "two bytes of priority") {
            image in
            image.directory = []
            image.editFCI { fci in
                for index in fci.indices where fci[index].tag == .applicationPriorityIndicator {
                    fci[index].value = [0x01, 0x00]
                }
            }
        },
    ]

    // MARK: GET PROCESSING OPTIONS and records

    static let reading: [Case] = [
        Case(.listMalformed, severity: .error, tag: .pdol, what: "a PDOL that ends within an entry") { image in
            image.editFCI { $0.append((.pdol, [0x9F])) }
            image.applications[0].options = nil
        },
        Case(.optionsRefused, severity: .error, tag: nil, what: "SW 6985") {
            $0.applications[0].options = CardImage.Answer([], .conditionsNotSatisfied)
        },
        Case(.optionsMalformed, severity: .error, tag: nil, what: "template 70") {
            $0.applications[0].options?.data[0] = 0x70
        },
        Case(.mandatoryObjectMissing, severity: .error, tag: .applicationFileLocator, what: "no AFL") {
            $0.setOptions(.applicationFileLocator, nil)
        },
        Case(.profileBits, severity: .warning, tag: .applicationInterchangeProfile, what: "bit 2 of byte 1") {
            $0.setOptions(.applicationInterchangeProfile, [0x7F, 0x00])
        },
        Case(.objectLength, severity: .error, tag: .applicationInterchangeProfile, what: "one byte") { image in
            image.setOptions(.applicationInterchangeProfile, [0x7D])
            image.set(.cvmList, nil)
        },
        Case(.noDataAuthentication, severity: .remark, tag: .applicationInterchangeProfile, what: "no method") {
            $0.setOptions(.applicationInterchangeProfile, [0x1C, 0x00])
        },
        Case(.locator, severity: .error, tag: .applicationFileLocator, what: "a record of number 0") {
            $0.setOptions(.applicationFileLocator, [0x08, 0x00, 0x01, 0x00])
        },
        Case(.locator, severity: .warning, tag: .applicationFileLocator, what: "low bits of the SFI") { image in
            guard
                var bytes = image.applications[0].options?.contents.first(where: { $0.tag == .applicationFileLocator })?
                    .value
            else {
                return
            }
            bytes[0] |= 0x01
            image.setOptions(.applicationFileLocator, bytes)
        },
        Case(.locator, severity: .error, tag: .applicationFileLocator, what: "a record twice") { image in
            guard
                let bytes = image.applications[0].options?.contents.first(where: { $0.tag == .applicationFileLocator })?
                    .value
            else {
                return
            }
            image.setOptions(.applicationFileLocator, bytes + bytes.prefix(3) + [0x00])
        },
        Case(.locator, severity: .warning, tag: .applicationFileLocator, what: "65 records") {
            $0.setOptions(.applicationFileLocator, [0x08, 0x01, 0x41, 0x00])
        },
        Case(.recordUnreadable, severity: .error, tag: nil, what: "SW 6A83") { image in
            image.applications[0].records.append(
                CardImage.Record(RecordNumber(sfi: 4, number: 1), CardImage.Answer([], .recordNotFound)))
        },
        Case(.recordTemplate, severity: .error, tag: nil, what: "template 77") { image in
            image.applications[0].records.append(
                CardImage.Record(RecordNumber(sfi: 4, number: 1), CardImage.Answer([0x77, 0x00])))
        },
        Case(.recordTemplate, severity: .error, tag: nil, what: "no data objects") { image in
            image.applications[0].records.append(
                CardImage.Record(RecordNumber(sfi: 4, number: 1), CardImage.Answer([0x70, 0x05, 0x5A])))
        },
        Case(.recordLength, severity: .warning, tag: nil, what: "255 bytes") { image in
            // Tag 9F1F, 248 bytes: 70 81 FC 9F1F 81 F8.
            let value = [UInt8](repeating: 0x20, count: 248)
            image.applications[0].records.append(
                CardImage.Record(
                    RecordNumber(sfi: 4, number: 1),
                    CardImage.Answer(tlv(.recordTemplate, tlv(.track1DiscretionaryData, value)))))
        },
        Case(.trailingBytes, severity: .warning, tag: nil, what: "zeros behind the template") {
            $0.editRecord { $0 += [0x00, 0x00] }
        },
    ]

    // MARK: Data objects

    static let mandatory: [Case] = [TLV.Tag.applicationPAN, .applicationExpirationDate, .cdol1, .cdol2].map { tag in
        Case(.mandatoryObjectMissing, severity: .error, tag: tag, what: "no \(tag)") { $0.set(tag, nil) }
    }

    static let objects: [Case] = [
        Case(.conditionalObjectMissing, severity: .warning, tag: .cvmList, what: "no CVM list") {
            $0.set(.cvmList, nil)
        },
        Case(
            .conditionalObjectMissing, severity: .warning, tag: .upperConsecutiveOfflineLimit, what: "one limit of two"
        ) {
            $0.add(.lowerConsecutiveOfflineLimit, [0x01])
        },
        Case(.conditionalObjectMissing, severity: .remark, tag: .applicationVersionNumberCard, what: "no version") {
            $0.set(.applicationVersionNumberCard, nil)
        },
        Case(.duplicateObject, severity: .error, tag: .applicationPAN, what: "a second PAN") {
            $0.add(.applicationPAN, [0x47, 0x61, 0x73, 0x90, 0x01, 0x01, 0x01, 0x19])
        },
        Case(.duplicateObject, severity: .warning, tag: .dfName, what: "a second name in the FCI") { image in
            image.applications[0].fci.setContents(
                image.applications[0].fci.contents + [(.dfName, image.applications[0].name)])
        },
        Case(.unknownObject, severity: .remark, tag: 0xDF7F, what: "a tag of its own") { $0.add(0xDF7F, [0x01]) },
        Case(.misplacedObject, severity: .warning, tag: .amountAuthorised, what: "the terminal's amount") {
            $0.add(.amountAuthorised, [0, 0, 0, 0, 0x01, 0x00])
        },
        Case(.misplacedObject, severity: .warning, tag: .pinTryCounter, what: "a PIN try counter in a record") {
            $0.add(.pinTryCounter, [0x03])
        },
        Case(.emptyObject, severity: .warning, tag: .applicationVersionNumberCard, what: "nothing in it") {
            $0.set(.applicationVersionNumberCard, [])
        },
        Case(.objectLength, severity: .error, tag: .issuerCountryCode, what: "one byte of country") {
            $0.set(.issuerCountryCode, [0x40])
        },
        Case(.objectLength, severity: .warning, tag: .cardholderName, what: "27 characters of name") {
            $0.set(.cardholderName, [UInt8](repeating: 0x41, count: 27))
        },
        Case(.objectFormat, severity: .error, tag: .issuerCountryCode, what: "a letter in a number") {
            $0.set(.issuerCountryCode, [0x0A, 0x40])
        },
        Case(.objectFormat, severity: .warning, tag: .cardholderName, what: "a control character") {
            $0.set(.cardholderName, [0x41, 0x1B])
        },
        Case(.objectFormat, severity: .error, tag: .applicationPAN, what: "digits after padding") {
            $0.set(.applicationPAN, [0x47, 0xF1])
        },
    ]

    // MARK: What they say

    static let contents: [Case] = [
        Case(.dateMalformed, severity: .error, tag: .applicationExpirationDate, what: "month 13") {
            $0.set(.applicationExpirationDate, [0x49, 0x13, 0x31])
        },
        Case(.dateMalformed, severity: .error, tag: .applicationExpirationDate, what: "30 February") {
            $0.set(.applicationExpirationDate, [0x49, 0x02, 0x30])
        },
        Case(.expired, severity: .warning, tag: .applicationExpirationDate, what: "yesterday") {
            $0.set(.applicationExpirationDate, [0x26, 0x11, 0x20])
        },
        Case(.expiresSoon, severity: .remark, tag: .applicationExpirationDate, what: "today in 60 days") {
            $0.set(.applicationExpirationDate, [0x27, 0x01, 0x20])
        },
        Case(.notYetEffective, severity: .warning, tag: .applicationEffectiveDate, what: "tomorrow") {
            $0.set(.applicationEffectiveDate, [0x26, 0x11, 0x22])
        },
        Case(.dateOrder, severity: .error, tag: .applicationEffectiveDate, what: "good from 2050 on, to 2049") {
            image in
            image.set(.applicationEffectiveDate, [0x49, 0x12, 0x31])
            image.set(.applicationExpirationDate, [0x49, 0x12, 0x30])
        },
        Case(.checkDigit, severity: .warning, tag: .applicationPAN, what: "9 for 8") {
            $0.set(.applicationPAN, [0x47, 0x61, 0x73, 0x90, 0x01, 0x01, 0x01, 0x18])
        },
        Case(.track2Malformed, severity: .error, tag: .track2EquivalentData, what: "no separator") {
            $0.set(.track2EquivalentData, [0x47, 0x61, 0x73])
        },
        Case(.track2Malformed, severity: .error, tag: .track2EquivalentData, what: "padding within") {
            $0.set(
                .track2EquivalentData, [0x47, 0x61, 0x73, 0x90, 0x01, 0x01, 0x01, 0x19, 0xD4, 0x91, 0x22, 0x01, 0xFF])
        },
        Case(.track2Contradicts, severity: .error, tag: .track2EquivalentData, what: "another PAN") {
            $0.set(
                .track2EquivalentData, [0x47, 0x61, 0x73, 0x90, 0x01, 0x01, 0x01, 0x27, 0xD4, 0x91, 0x22, 0x01, 0x0F])
        },
        Case(.track2Contradicts, severity: .warning, tag: .track2EquivalentData, what: "another expiry") {
            $0.set(
                .track2EquivalentData, [0x47, 0x61, 0x73, 0x90, 0x01, 0x01, 0x01, 0x19, 0xD4, 0x81, 0x22, 0x01, 0x0F])
        },
        Case(.track2Contradicts, severity: .warning, tag: .track2EquivalentData, what: "another service code") {
            $0.set(
                .track2EquivalentData, [0x47, 0x61, 0x73, 0x90, 0x01, 0x01, 0x01, 0x19, 0xD4, 0x91, 0x21, 0x01, 0x0F])
        },
        Case(.verificationListMalformed, severity: .error, tag: .cvmList, what: "half a rule") {
            $0.set(.cvmList, [UInt8](repeating: 0, count: 9))
        },
        Case(.verificationListUnusable, severity: .error, tag: .cvmList, what: "no rule") {
            $0.set(.cvmList, [UInt8](repeating: 0, count: 8))
        },
        Case(.verificationListUnusable, severity: .error, tag: .cvmList, what: "fail and nothing else") {
            $0.set(.cvmList, cvmList(0x0000))
        },
        Case(.verificationRuleUnreachable, severity: .warning, tag: .cvmList, what: "signature always, then PIN") {
            $0.set(.cvmList, cvmList(0x1E00, 0x0203))
        },
        Case(.verificationRuleReserved, severity: .warning, tag: .cvmList, what: "method 10 hexadecimal") {
            $0.set(.cvmList, cvmList(0x5003, 0x1F03))
        },
        Case(.verificationRuleReserved, severity: .warning, tag: .cvmList, what: "condition 0A") {
            $0.set(.cvmList, cvmList(0x5E0A, 0x1F03))
        },
        Case(.verificationRuleWithoutData, severity: .warning, tag: .cvmList, what: "under 0.00") {
            $0.set(.cvmList, cvmList(0x5F06, 0x1E03))
        },
        Case(.verificationRuleWithoutData, severity: .warning, tag: .cvmList, what: "over X without currency") {
            image in
            image.set(.cvmList, cvmList(0x5E07, 0x1F03))
            image.set(.applicationCurrencyCode, nil)
        },
        Case(.verificationRuleWithoutData, severity: .warning, tag: .cvmList, what: "enciphered PIN without key") {
            image in
            image.setOptions(.applicationInterchangeProfile, [0x5C, 0x00])
            image.set(.iccPublicKeyCertificate, nil)
        },
        Case(.verificationListNotUsed, severity: .remark, tag: .cvmList, what: "the AIP says no") {
            $0.setOptions(.applicationInterchangeProfile, [0x6D, 0x00])
        },
        Case(.actionCodeBits, severity: .remark, tag: .issuerActionCodeOnline, what: "bit 3 of byte 2") {
            $0.set(.issuerActionCodeOnline, [0x00, 0x04, 0x00, 0x00, 0x00])
        },
        Case(.actionCodeMissing, severity: .remark, tag: .issuerActionCodeDefault, what: "two of three") {
            $0.set(.issuerActionCodeDefault, nil)
        },
        Case(
            .actionCodeUnreachable, severity: .remark, tag: .issuerActionCodeOnline, what: "expired: denied and online"
        ) { image in
            image.set(.issuerActionCodeDenial, [0x00, 0x40, 0x00, 0x00, 0x00])
            image.set(.issuerActionCodeOnline, [0x00, 0x40, 0x00, 0x00, 0x00])
        },
        Case(.listMalformed, severity: .error, tag: .cdol2, what: "it ends within a tag") { $0.set(.cdol2, [0x9F]) },
        Case(.listMalformed, severity: .error, tag: .tdol, what: "253 bytes") { $0.add(.tdol, [0x9F, 0x7C, 0xFD]) },
        Case(.listLacks, severity: .error, tag: .ddol, what: "no unpredictable number") {
            $0.set(.ddol, [0x9A, 0x03])
        },
        Case(.listLacks, severity: .error, tag: .cdol1, what: "no unpredictable number with CDA") { image in
            image.set(.cdol1, DOL(entries: DOL.cryptogramInput.entries.filter { $0.tag != .unpredictableNumber }).bytes)
        },
        Case(.listLacks, severity: .warning, tag: .cdol1, what: "no amount") { image in
            image.set(.cdol1, DOL(entries: DOL.cryptogramInput.entries.filter { $0.tag != .amountAuthorised }).bytes)
        },
        Case(.listLacks, severity: .warning, tag: .cdol2, what: "no response code") {
            $0.set(.cdol2, [0x9F, 0x37, 0x04])
        },
        Case(.listEntry, severity: .warning, tag: .tdol, what: "a template") { $0.add(.tdol, [0x70, 0x04]) },
        Case(.listEntry, severity: .remark, tag: .tdol, what: "an unknown tag") { $0.add(.tdol, [0xDF, 0x7F, 0x04]) },
        Case(.listEntry, severity: .remark, tag: .tdol, what: "five bytes of date") { $0.add(.tdol, [0x9A, 0x05]) },
        Case(.counters, severity: .warning, tag: .applicationTransactionCounter, what: "three bytes of counter") {
            $0.applications[0].counters[.applicationTransactionCounter] = CardImage.Answer([0x9F, 0x36, 0x03, 0, 0, 1])
        },
        Case(.counters, severity: .warning, tag: .lastOnlineATCRegister, what: "limits without the last online counter")
        { image in
            image.add(.lowerConsecutiveOfflineLimit, [0x01])
            image.add(.upperConsecutiveOfflineLimit, [0x02])
            image.applications[0].counters[.lastOnline] = CardImage.Answer([], .referencedDataNotFound)
        },
        Case(.counters, severity: .warning, tag: .lastOnlineATCRegister, what: "ahead of the counter") {
            $0.applications[0].counters[.lastOnline] = CardImage.Answer([0x9F, 0x13, 0x02, 0x10, 0x00])
        },
        Case(.counters, severity: .warning, tag: .pinTryCounter, what: "no try") {
            $0.applications[0].counters[.pinTries] = CardImage.Answer([0x9F, 0x17, 0x01, 0x00])
        },
        Case(.counters, severity: .remark, tag: .pinTryCounter, what: "one try") {
            $0.applications[0].counters[.pinTries] = CardImage.Answer([0x9F, 0x17, 0x01, 0x01])
        },
        Case(
            .authenticationDataMissing, severity: .error, tag: .signedStaticApplicationData,
            what: "SDA without signature"
        ) {
            $0.set(.signedStaticApplicationData, nil)
        },
        Case(.authenticationDataMissing, severity: .error, tag: .iccPublicKeyExponent, what: "DDA without exponent") {
            $0.set(.iccPublicKeyExponent, nil)
        },
    ]

    private static func cvmList(_ rules: UInt16...) -> [UInt8] {
        [UInt8](repeating: 0, count: 8) + rules.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    }

    // MARK: Together

    /// The kinds that AuthenticationTests provoke.
    private static let elsewhere: Set<CardFinding.Kind> = [
        .unknownAuthority, .certificate, .certificateExpiresSoon, .signature, .transaction,
    ]

    @Test func everyKindIsProvoked() {
        let provoked = Set((Self.selection + Self.reading + Self.mandatory + Self.objects + Self.contents).map(\.kind))
            .union(
                Self.elsewhere)
        #expect(provoked == Set(CardFinding.Kind.allCases))
    }
}
