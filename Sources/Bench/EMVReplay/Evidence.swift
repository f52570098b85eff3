import Bytes
public import CardCryptography
import Contactless
import EMVKernel
public import SmartCard
import TLV

/// What a recorded conversation proves about its card, independent of its terminal: certificates,
/// signatures and cryptograms recomputed.
public struct Evidence: Sendable, Equatable {
    public enum Result: Sendable, Equatable {
        case verified(String)
        case failed(String)
        case notChecked(Gap)
    }

    public enum Kind: Sendable, Equatable {
        /// A certificate or a signature of offline data authentication.
        case dataAuthentication
        /// A card's cryptogram.
        case cryptogram
        /// The issuer's answer to a cryptogram as sent to the card, which comes from the terminal
        /// and not from the card.
        case issuerAnswer
    }

    public let kind: Kind
    /// What was checked: "issuer certificate", "ARQC", …
    public let subject: String
    public let result: Result

    /// The result as text.
    public var detail: String {
        switch result {
        case .verified(let detail), .failed(let detail): detail
        case .notChecked(let gap): gap.description
        }
    }

    public var isVerified: Bool { if case .verified = result { true } else { false } }
    /// Whether it was checked and is wrong.
    public var isDisproved: Bool { if case .failed = result { true } else { false } }

    /// - Parameters:
    ///   - caKeys: Certificates and signatures are checked if the card refers to one of these, or
    ///     to a key in the head of the trace.
    ///   - issuer: Cryptograms are recomputed if this is given.
    /// - Returns: One entry for each certificate, signature and cryptogram of the log: proved,
    ///   disproved, or not checked and why. With several transactions, or several presentations of
    ///   a contactless card, the subjects have their numbers.
    public static func examine(_ trace: APDUTrace, caKeys: [CAPublicKey], issuer: IssuerKeyMaterial? = nil)
        -> [Evidence]
    {
        let conversation = LoggedConversation(trace)
        let card = conversation.cardData
        if conversation.interface(card) == .contactless {
            let presentations = trace.presentations
            if presentations.count > 1 { return examine(presentations, caKeys, issuer) }
        }
        let transactions = trace.replayedTransactions
        guard transactions.count > 1 else {
            return examine(trace, conversation, card: card, caKeys: caKeys, issuer: issuer)
        }
        return transactions.enumerated().flatMap { place, transaction in
            let conversation = LoggedConversation(transaction)
            return examine(transaction, conversation, card: conversation.cardData, caKeys: caKeys, issuer: issuer).map {
                Evidence(kind: $0.kind, subject: "transaction \(place + 1), \($0.subject)", result: $0.result)
            }
        }
    }

    private static func examine(_ presentations: [APDUTrace], _ caKeys: [CAPublicKey], _ issuer: IssuerKeyMaterial?)
        -> [Evidence]
    {
        presentations.enumerated().flatMap { place, presentation in
            // What the card gave for RECOVER AC is the answer to an earlier GENERATE AC.
            let torn = presentations[..<place].reversed().lazy.compactMap { $0.completed(by: presentation) }.first
            let trace = torn ?? presentation
            let conversation = LoggedConversation(trace)
            return examine(trace, conversation, card: conversation.cardData, caKeys: caKeys, issuer: issuer).map {
                Evidence(kind: $0.kind, subject: "presentation \(place + 1), \($0.subject)", result: $0.result)
            }
        }
    }

    /// Of kernel 8 the records are enciphered: with the terminal's key they are examined in plain
    /// text.
    private static func examine(
        _ trace: APDUTrace, _ conversation: LoggedConversation, card: DataElements, caKeys: [CAPublicKey],
        issuer: IssuerKeyMaterial?
    ) -> [Evidence] {
        let recorded = try? RecordedTerminal(trace)
        let own = recorded?.configuration.caKeys ?? []
        let plain = LoggedChannel(trace, conversation).map { LoggedConversation($0.deciphered(trace)) }
        let signatures = certificates(
            plain ?? conversation, plain?.cardData ?? card, own + caKeys, headDate: recorded?.request.date)
        return signatures.evidence
            + cryptograms(conversation, card: card, issuer: issuer, signed: signatures.cryptograms)
            + checksums(conversation, card, key: checksumMasterKey(trace))
    }

    /// `cvc3-master-key` in the head of a trace, 16 bytes.
    private static func checksumMasterKey(_ trace: APDUTrace) -> SecretBytes? {
        guard let hex = trace["cvc3-master-key"], let bytes = try? [UInt8](hex: hex), bytes.count == 16 else {
            return nil
        }
        return SecretBytes(bytes)
    }

    /// The results of checks with the keys of the authorities.
    private struct Signatures {
        var evidence: [Evidence] = []
        /// The cryptograms in CDA signatures, 8 bytes each, by the index of their GENERATE AC.
        var cryptograms: [Int: [UInt8]] = [:]
    }

    static func verified(_ subject: String, _ detail: String) -> Evidence {
        Evidence(kind: .dataAuthentication, subject: subject, result: .verified(detail))
    }
    static func failed(_ subject: String, _ error: CertificateError) -> Evidence {
        Evidence(kind: .dataAuthentication, subject: subject, result: .failed("\(error)"))
    }
    static func notChecked(_ subject: String, _ gap: Gap) -> Evidence {
        Evidence(kind: .dataAuthentication, subject: subject, result: .notChecked(gap))
    }

    /// - Parameter subject: The subject of the failed check; a `failure` of a certificate has its
    ///   own.
    private static func failed(_ subject: String, _ failure: DataAuthenticationFailure) -> Evidence {
        switch failure {
        case .unknownCAKey(let rid, let index): notChecked(subject, .caKey(rid: rid, index: index))
        case .issuerCertificate(let error): failed("issuer certificate", error)
        case .iccCertificate(let error): failed("ICC certificate", error)
        case .signature(let error): failed(subject, error)
        default: Evidence(kind: .dataAuthentication, subject: subject, result: .failed("\(failure)"))
        }
    }

    // MARK: Certificates and signatures (EMV 4.4 Book 2, 5, 6 and 12)

    /// - Parameter headDate: The transaction's date in the head of the log.
    private static func certificates(
        _ conversation: LoggedConversation, _ card: DataElements, _ caKeys: [CAPublicKey], headDate: [UInt8]?
    ) -> Signatures {
        var found = Signatures()
        examineChain(conversation, card, caKeys, headDate: headDate, found: &found)
        let gap: Gap = card.contains(.issuerPublicKeyCertificate) ? .chain : .certificates
        for item in SignedItem.all(conversation, card)
        where !found.evidence.contains(where: { $0.subject == item.subject }) {
            found.evidence.append(notChecked(item.subject, item.gap ?? gap))
        }
        return found
    }

    private static func examineChain(
        _ conversation: LoggedConversation, _ card: DataElements, _ caKeys: [CAPublicKey], headDate: [UInt8]?,
        found: inout Signatures
    ) {
        guard card.contains(.issuerPublicKeyCertificate) else { return }
        let unread = conversation.unreadStaticRecords(card)
        guard unread.isEmpty || card.contains(.applicationPAN) else {
            return found.evidence.append(notChecked("issuer certificate", .records(unread)))
        }
        let lists = LoggedLists(card)
        var certified = card
        // The certificates contain the PAN, which a contactless card may have only in its track.
        if !certified.contains(.applicationPAN) {
            certified[.applicationPAN] = Track2Equivalent(card)?.encodedPAN?.revealed()
        }
        guard !certified.hasMaskedPAN else {
            return found.evidence.append(notChecked("issuer certificate", .maskedNumber))
        }
        let date = conversation.sentDate(lists) ?? headDate
        let chain = CertificateChain(
            card: certified, rid: Array((card[.dfName] ?? []).prefix(5)), caKeys: caKeys, revoked: [], date: date,
            time: [0, 0, 0],
            issuers: nil)
        do throws(DataAuthenticationFailure) {
            if card.contains(.cardKeyData) {
                try examineKernel8(chain, conversation: conversation, card: card, evidence: &found.evidence)
            } else if case .ellipticCurve = try chain.authority().key {
                try examineCurves(chain, conversation: conversation, card: card, evidence: &found.evidence)
            } else {
                try examineRSA(chain, conversation: conversation, card: card, lists: lists, found: &found)
            }
        } catch {
            found.evidence.append(failed(found.evidence.isEmpty ? "issuer certificate" : "ICC certificate", error))
        }
        if date == nil, found.evidence.contains(where: \.isVerified) {
            found.evidence.append(notChecked("expiry of the certificates", .date))
        }
    }

    private static func examineRSA(
        _ chain: CertificateChain, conversation: LoggedConversation, card: DataElements, lists: LoggedLists,
        found: inout Signatures
    ) throws(DataAuthenticationFailure) {
        let issuer = try chain.issuerKey()
        let index = card[.caPublicKeyIndexCard]?.hex ?? ""
        found.evidence.append(
            verified("issuer certificate", "\(issuer.key.modulus.count * 8) bit key, signed by CA key \(index)"))
        let missing = conversation.unreadStaticRecords(card)
        guard missing.isEmpty else {
            let what = card.contains(.iccPublicKeyCertificate) ? "ICC certificate" : "SDA"
            return found.evidence.append(notChecked(what, .records(missing)))
        }
        let staticData = try conversation.staticData(card).complete(card)
        let profile = card[.applicationInterchangeProfile].flatMap(ApplicationInterchangeProfile.init) ?? []
        if profile.contains(.sdaSupported), let signed = card[.signedStaticApplicationData] {
            found.evidence.append(staticSignature(signed, issuer, staticData))
        }
        guard card.contains(.iccPublicKeyCertificate) else { return }
        let icc = try chain.iccKey(issuer, staticData: staticData)
        found.evidence.append(
            verified(
                "ICC certificate", "\(icc.key.modulus.count * 8) bit key, \(staticData.count) bytes of static data"))
        found.evidence += pinCertificate(card) { () throws(DataAuthenticationFailure) in
            "\(try chain.pinEnciphermentKey(conversation.staticData(card), cardKey: nil).modulus.count * 8) bit key"
        }
        found.evidence += [dynamicSignature(conversation, icc.key)].compactMap { $0 }
        examineCombinedSignatures(conversation, lists: lists, key: icc.key, found: &found)
        found.evidence += [fastSignature(conversation, card, lists, key: icc.key)].compactMap { $0 }
    }

    /// The certificate of a key for PINs alone, if the card has one.
    private static func pinCertificate(_ card: DataElements, _ check: () throws(DataAuthenticationFailure) -> String)
        -> [Evidence]
    {
        guard card.contains(.iccPINEnciphermentPublicKeyCertificate) else { return [] }
        let subject = SignedItem.pinCertificate
        do throws(DataAuthenticationFailure) {
            return [verified(subject, try check())]
        } catch {
            return [Evidence(kind: .dataAuthentication, subject: subject, result: .failed("\(error)"))]
        }
    }

    /// The answer to INTERNAL AUTHENTICATE, in format 1 or 2 (EMV 4.4 Book 2, 6.5).
    private static func dynamicSignature(_ conversation: LoggedConversation, _ key: RSAPublicKey) -> Evidence? {
        guard let exchange = conversation.exchange(.internalAuthenticate), exchange.response.status == .success else {
            return nil
        }
        let answer = exchange.response.data
        let signed =
            answer.first == 0x80
            ? TLVWalker.firstValue(answer) : (try? DataElements(parsing: answer))?[.signedDynamicApplicationData]
        guard let signed else { return nil }
        do throws(CertificateError) {
            let number = try SignedDynamicApplicationData.verifyDDA(
                signed, key: key, terminalDynamicData: exchange.command.data)
            return verified(
                "DDA",
                "\(exchange.command.data.count) bytes of the terminal are signed by the card, dynamic number \(number.hex)"
            )
        } catch {
            return failed("DDA", error)
        }
    }

    private static func examineCurves(
        _ chain: CertificateChain, conversation: LoggedConversation, card: DataElements, evidence: inout [Evidence]
    ) throws(DataAuthenticationFailure) {
        let issuer = try chain.ellipticCurveIssuerKey()
        let index = card[.caPublicKeyIndexCard]?.hex ?? ""
        evidence.append(verified("issuer certificate", "\(issuer.suite) key, signed by CA key \(index)"))
        let cardData = try conversation.staticData(card).issuerCertified(card, aid: card[.dfName] ?? [])
        let icc = try chain.ellipticCurveICCKey(issuer, cardData: cardData)
        evidence.append(verified("ICC certificate", "\(icc.suite) key, \(cardData.count) bytes of card data"))
        evidence += pinCertificate(card) { () throws(DataAuthenticationFailure) in
            "\(try chain.ellipticCurvePINKey(cardData: cardData).suite) key"
        }
        evidence += extendedSignatures(conversation, icc)
    }

    private static func extendedSignatures(_ conversation: LoggedConversation, _ key: ECICCPublicKey<SignatureSuite>)
        -> [Evidence]
    {
        let options = conversation.first(.getProcessingOptions).flatMap { TLVWalker.firstValue($0.data) } ?? []
        return conversation.cryptograms.enumerated().compactMap { index, exchange in
            guard index < 2, let signed = exchange.signature else { return nil }
            let subject = SignedItem.subject(index, isXDA: true)
            let sent = (index == 0 ? options : []) + exchange.command.data
            do throws(CertificateError) {
                try XDASignature.verify(
                    signed, key: key, transactionData: sent + CombinedSignature.signedPart(of: exchange.response.data))
                return verified(subject, "the card signed its answer and the \(sent.count) bytes that it was sent")
            } catch {
                return failed(subject, error)
            }
        }
    }

    private static func staticSignature(_ signed: [UInt8], _ issuer: IssuerPublicKey, _ staticData: [UInt8]) -> Evidence
    {
        do throws(CertificateError) {
            let code = try SignedStaticApplicationData.verify(signed, issuer: issuer.key, staticData: staticData)
            return verified(
                "SDA", "signature over \(staticData.count) bytes of static data, data authentication code \(code.hex)")
        } catch {
            return failed("SDA", error)
        }
    }

    private static func examineCombinedSignatures(
        _ conversation: LoggedConversation, lists: LoggedLists, key: RSAPublicKey, found: inout Signatures
    ) {
        var sent = conversation.first(.getProcessingOptions).flatMap { TLVWalker.firstValue($0.data) } ?? []
        for (index, exchange) in conversation.cryptograms.prefix(2).enumerated() {
            sent += exchange.command.data
            let elements = try? DataElements(parsing: exchange.response.data)
            guard let elements, let signed = elements[.signedDynamicApplicationData] else { continue }
            let subject = SignedItem.subject(index, isXDA: false)
            do throws(CertificateError) {
                let number = lists.elements(exchange.command, isFirst: index == 0)?[.unpredictableNumber] ?? []
                let combined = try SignedDynamicApplicationData.recoverCDA(
                    signed, key: key, unpredictableNumber: number)
                found.cryptograms[index] = combined.applicationCryptogram
                try combined.verifyTransactionData(sent + CombinedSignature.signedPart(of: exchange.response.data))
                found.evidence.append(
                    verified(
                        subject,
                        "cryptogram \(combined.applicationCryptogram.hex) and transaction data hash signed by the card")
                )
            } catch {
                found.evidence.append(failed(subject, error))
            }
        }
    }

    // MARK: Cryptograms (EMV 4.4 Book 2, 8)

    /// - Parameters:
    ///   - issuer: Nil if its key is not known: a MAC cannot be verified without it.
    ///   - signed: The cryptograms that are only within a signature.
    private static func cryptograms(
        _ conversation: LoggedConversation, card: DataElements, issuer: IssuerKeyMaterial?, signed: [Int: [UInt8]]
    ) -> [Evidence] {
        let lists = LoggedLists(card)
        var evidence: [Evidence] = []
        // Contactless cards may return their only cryptogram with the processing options.
        let options =
            conversation.cryptograms.isEmpty
            ? conversation.exchanges.last(where: \.givesCryptogramWithOptions).map { [$0] } ?? [] : []
        for (index, exchange) in (conversation.cryptograms + options).enumerated() {
            guard let cryptogram = LoggedCryptogram(exchange.response) else { continue }
            let type = cryptogram.information.type
            let round = exchange.command.instruction == .generateAC ? SignedItem.round(index) : "GET PROCESSING OPTIONS"
            let subject = "\(type?.name ?? "cryptogram of a reserved type"), \(round)"
            guard let issuer else {
                evidence.append(
                    Evidence(kind: .cryptogram, subject: subject, result: .notChecked(.issuerKey(.issuerMasterKey))))
                continue
            }
            guard index < 2, let input = cryptogram.input(exchange.command, card, lists, isFirst: index == 0) else {
                evidence.append(Evidence(kind: .cryptogram, subject: subject, result: .notChecked(.cryptogramInput)))
                continue
            }
            guard let value = cryptogram.value ?? signed[index] else {
                evidence.append(Evidence(kind: .cryptogram, subject: subject, result: .notChecked(.signedInside)))
                continue
            }
            evidence.append(
                compared(.cryptogram, subject: subject, value: value) { () throws(CryptogramError) in
                    try issuer.verify(value, input, card)
                })
            if index == 0, type == .arqc, let answer = conversation.issuerAuthenticationData(lists) {
                evidence.append(
                    compared(.issuerAnswer, subject: "ARPC", value: answer) { () throws(CryptogramError) in
                        try issuer.verify(answer, to: value, input, card)
                    })
            }
        }
        return evidence
    }

    /// - Parameter isRight: Whether `value` is correct for the issuer's key, or what it takes to
    ///   know.
    private static func compared(
        _ kind: Kind, subject: String, value: [UInt8], isRight: () throws(CryptogramError) -> Comparison
    ) -> Evidence {
        do throws(CryptogramError) {
            let result: Result =
                switch try isRight() {
                case .equal: .verified("\(value.hex) recomputed with the issuer's test key")
                case .different: .failed("\(value.hex) differs from the value computed with the issuer's key")
                case .impossible(let gap): .notChecked(gap)
                }
            return Evidence(kind: kind, subject: subject, result: result)
        } catch {
            return Evidence(kind: kind, subject: subject, result: .notChecked(.computation(error)))
        }
    }

    /// What comes of a code and the same one recomputed.
    enum Comparison {
        case equal, different
        case impossible(Gap)

        init(_ isEqual: Bool) { self = isEqual ? .equal : .different }
    }
}

extension LoggedConversation {
    /// The transaction's date, tag `9A`, that the terminal sent with the first GENERATE AC or with
    /// the processing options; nil if the card was sent none.
    fileprivate func sentDate(_ lists: LoggedLists) -> [UInt8]? {
        let commands = cryptogramCommands.prefix(1) + [first(.getProcessingOptions)].compactMap { $0 }
        return commands.lazy.compactMap { lists.elements($0, isFirst: true)?[.transactionDate] }.first { date in
            // A terminal that does not know the list's tag sends zeros (EMV 4.4 Book 3, 5.4).
            date.contains { $0 != 0 }
        }
    }
}

extension DataAuthenticationFailure {
    /// The cure for a missing authority's key; nil for other failures.
    var cure: String? {
        guard case .unknownCAKey(let rid, let index) = self else { return nil }
        return Evidence.Gap.caKey(rid: rid, index: index).description
    }
}
