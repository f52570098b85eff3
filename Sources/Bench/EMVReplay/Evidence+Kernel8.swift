import Bytes
import CardCryptography
import EMVKernel
import SmartCard
import TLV

extension Evidence {
    /// Certificates of kernel 8 (EMV Contactless Book E, 5), which certify a hash over the records,
    /// the data objects that the card lists in `9F810A`, and the AIP.
    ///
    /// - Parameter conversation: With records in plain text.
    static func examineKernel8(
        _ chain: CertificateChain, conversation: LoggedConversation, card: DataElements, evidence: inout [Evidence]
    ) throws(DataAuthenticationFailure) {
        let issuer = try chain.ellipticCurveIssuerKey()
        evidence.append(
            verified(
                "issuer certificate", "elliptic curve key, signed by CA key \(card[.caPublicKeyIndexCard]?.hex ?? "")"))
        let missing = conversation.unreadStaticRecords(card)
        guard missing.isEmpty, let list = try? TagList(parsing: card[.extendedSDATagList] ?? []) else {
            evidence.append(notChecked("ICC certificate", .records(missing)))
            return
        }
        var records: [UInt8] = []
        for entry in card[.applicationFileLocator].flatMap(ApplicationFileLocator.init)?.entries ?? [] {
            for record in entry.records.prefix(Int(entry.authenticatedCount)) {
                let header = CommandAPDU.readRecord(record, sfi: entry.sfi).header
                let answer = conversation.exchanges.first { $0.command.header == header }
                records += answer.flatMap { Template.contents(of: $0.response.data, tag: .recordTemplate) } ?? []
            }
        }
        var objects = TLVBuilder()
        for tag in list.tags { objects.append(tag, card[tag] ?? []) }
        let hash = SHA256.hash(records, objects.bytes, card[.applicationInterchangeProfile] ?? [])
        _ = try chain.channelKey(issuer, staticDataHash: hash)
        evidence.append(verified("ICC certificate", "elliptic curve key, \(records.count) bytes of records"))
    }
}
