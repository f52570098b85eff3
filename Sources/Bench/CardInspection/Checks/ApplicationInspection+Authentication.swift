private import Bytes
internal import CardCryptography
internal import EMVKernel
internal import SmartCard
internal import TLV

/// Offline data authentication as far as possible without a cryptogram, with the kernel's own chain
/// of certificates (EMV 4.4 Book 2, 5, 6 and 12).
extension ApplicationInspection {
    private var chain: CertificateChain {
        CertificateChain(
            card: elements, rid: Array(application.name.prefix(5)), caKeys: circumstances.caKeys,
            date: circumstances.date)
    }

    private var staticData: StaticData {
        var data = StaticData()
        for record in application.records where record.isAuthenticated {
            data.append(record: record.answer.data, sfi: record.place.sfi)
        }
        return data
    }

    /// The data in the records that the methods of the AIP require (EMV 4.4 Book 3, 7.2).
    private var needs: [(ApplicationInterchangeProfile, String, [Tag], String)] {
        let issuer: [Tag] = [.caPublicKeyIndexCard, .issuerPublicKeyCertificate]
        return [
            (.sdaSupported, "SDA", issuer + [.issuerPublicKeyExponent, .signedStaticApplicationData], "table 29"),
            (
                .ddaSupported, "DDA",
                issuer + [.issuerPublicKeyExponent, .iccPublicKeyCertificate, .iccPublicKeyExponent], "table 30"
            ),
            (
                .cdaSupported, "CDA",
                issuer + [.issuerPublicKeyExponent, .iccPublicKeyCertificate, .iccPublicKeyExponent], "table 30"
            ),
            (.xdaSupported, "XDA", issuer + [.iccPublicKeyCertificate], "table 31"),
        ].filter { profile.contains($0.0) }
    }

    var authenticationFindings: [CardFinding] {
        var findings: [CardFinding] = []
        for (_, method, tags, table) in needs {
            for tag in tags where !elements.contains(tag) {
                findings.append(
                    finding(
                        .authenticationDataMissing, severity: .error, tag: tag,
                        summary: "the AIP offers \(method), but no record contains it",
                        source: "EMV 4.4 Book 3, 7.2, \(table)"))
            }
        }
        guard !needs.isEmpty, findings.isEmpty else { return findings }
        return rsaFindings + curveFindings
    }

    // MARK: RSA

    private var rsaFindings: [CardFinding] {
        guard !profile.isDisjoint(with: [.sdaSupported, .ddaSupported, .cdaSupported]) else { return [] }
        let issuer: IssuerPublicKey
        do throws(DataAuthenticationFailure) {
            issuer = try chain.issuerKey()
        } catch {
            return [failed(error, .issuerPublicKeyCertificate)]
        }
        var findings = expiryFindings(CertificateDate(endOfMonth: issuer.expiry), .issuerPublicKeyCertificate)
        let signed: [UInt8]
        do throws(DataAuthenticationFailure) {
            signed = try staticData.complete(elements)
        } catch {
            return findings + [failed(error, .staticDataAuthenticationTagList)]
        }
        if profile.contains(.sdaSupported), let signature = elements[.signedStaticApplicationData] {
            do throws(CertificateError) {
                _ = try SignedStaticApplicationData.verify(signature, issuer: issuer.key, staticData: signed)
            } catch {
                findings.append(
                    finding(
                        .signature, severity: .error, tag: .signedStaticApplicationData,
                        summary: "the issuer's signature on the records does not verify: \(error)",
                        source: "EMV 4.4 Book 2, 5.4"))
            }
        }
        guard !profile.isDisjoint(with: [.ddaSupported, .cdaSupported]) else { return findings }
        do throws(DataAuthenticationFailure) {
            let icc = try chain.iccKey(issuer, staticData: signed)
            return findings + expiryFindings(CertificateDate(endOfMonth: icc.expiry), .iccPublicKeyCertificate)
                + challengeFindings(icc.key)
        } catch {
            return findings + [failed(error, .iccPublicKeyCertificate)]
        }
    }

    private func challengeFindings(_ key: RSAPublicKey) -> [CardFinding] {
        guard let challenge = application.challenge else { return [] }
        func odd(_ summary: String) -> [CardFinding] {
            [
                finding(
                    .signature, severity: .error, tag: .signedDynamicApplicationData, summary: summary,
                    source: "EMV 4.4 Book 2, 6.5")
            ]
        }
        guard challenge.answer.status == .success else {
            return odd("INTERNAL AUTHENTICATE is answered \(challenge.answer.status)")
        }
        let answer = ParsedAnswer(challenge.answer.data)
        let signed = answer.objects.first {
            $0.tag == .signedDynamicApplicationData
                || (answer.outermost == [.responseTemplate1] && $0.tag == .responseTemplate1)
        }
        guard let signed else { return odd("the answer to INTERNAL AUTHENTICATE has no signature") }
        do throws(CertificateError) {
            _ = try SignedDynamicApplicationData.verifyDDA(signed.value, key: key, terminalDynamicData: challenge.sent)
            return []
        } catch {
            return odd("the card's signature does not verify: \(error)")
        }
    }

    // MARK: Elliptic curves

    private var curveFindings: [CardFinding] {
        guard profile.contains(.xdaSupported) else { return [] }
        let issuer: ECIssuerPublicKey
        do throws(DataAuthenticationFailure) {
            issuer = try chain.ellipticCurveIssuerKey()
        } catch {
            return [failed(error, .issuerPublicKeyCertificate)]
        }
        let findings = expiryFindings(issuer.expiry, .issuerPublicKeyCertificate)
        do throws(DataAuthenticationFailure) {
            let icc = try chain.ellipticCurveICCKey(
                issuer, cardData: staticData.issuerCertified(elements, aid: application.name))
            return findings + expiryFindings(icc.expiryDate, .iccPublicKeyCertificate)
        } catch {
            return findings + [failed(error, .iccPublicKeyCertificate)]
        }
    }

    // MARK: Words

    private func failed(_ failure: DataAuthenticationFailure, _ tag: Tag) -> CardFinding {
        switch failure {
        case .unknownCAKey(let rid, let index):
            finding(
                .unknownAuthority, severity: .remark, tag: .caPublicKeyIndexCard,
                summary: "CA key \([index].hex) of \(rid.hex) not found: the certificates are not verified",
                source: "EMV 4.4 Book 2, 5.2")
        case .expiredCAKey:
            finding(
                .certificate, severity: .error, tag: .caPublicKeyIndexCard, summary: "the CA public key has expired",
                source: "EMV 4.4 Book 2, 11.2.2")
        case .staticDataTagList:
            finding(
                .certificate, severity: .error, tag: .staticDataAuthenticationTagList,
                summary: "it lists tags other than the AIP",
                source: "EMV 4.4 Book 3, 10.3")
        default:
            finding(
                .certificate, severity: .error, tag: tag, summary: failure.description,
                source: "EMV 4.4 Book 2, \(profile.contains(.xdaSupported) ? "12" : "5 and 6")")
        }
    }

    private func expiryFindings(_ expiry: CertificateDate?, _ tag: Tag) -> [CardFinding] {
        guard let expiry, let today else { return [] }
        var findings: [CardFinding] = []
        if expiry.days - today.days <= circumstances.notice {
            findings.append(
                finding(
                    .certificateExpiresSoon, severity: .remark, tag: tag,
                    summary: "the certificate expires on \(expiry.summary)",
                    source: "EMV 4.4 Book 2, 5.3 and 6.4"))
        }
        if let own = elements[.applicationExpirationDate].flatMap(CertificateDate.init(yymmdd:)),
            (expiry.year, expiry.month) < (own.year, own.month)
        {
            findings.append(
                finding(
                    .certificateExpiresSoon, severity: .warning, tag: tag,
                    summary: "the certificate expires on \(expiry.summary), before the application",
                    source: "EMV 4.4 Book 2, 5.3 and 6.4"))
        }
        return findings
    }
}
