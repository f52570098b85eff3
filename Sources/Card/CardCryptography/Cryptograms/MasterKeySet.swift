/// The master keys of an issuer, or those of one card, by purpose (EMV 4.4 Book 2, 8.3 and 9.4).
public struct MasterKeySet: Sendable, Equatable {
    /// For application cryptograms and response cryptograms, MK AC.
    public var applicationCryptogram: CardKey
    /// For MACs over the issuer's commands, MK SMI.
    public var integrity: CardKey
    /// For encipherment of the issuer's commands, MK SMC.
    public var confidentiality: CardKey

    public init(applicationCryptogram: CardKey, integrity: CardKey, confidentiality: CardKey) {
        self.applicationCryptogram = applicationCryptogram
        self.integrity = integrity
        self.confidentiality = confidentiality
    }

    /// The keys of the card with `pan`, if these are its issuer's; see
    /// ``MasterKeyDerivation/cardMasterKey(from:pan:panSequenceNumber:)``.
    public func cardKeys(
        by derivation: MasterKeyDerivation, pan: AccountNumber, panSequenceNumber: UInt8?
    ) throws(CryptogramError) -> MasterKeySet {
        MasterKeySet(
            applicationCryptogram: try derivation.cardMasterKey(
                from: applicationCryptogram, pan: pan, panSequenceNumber: panSequenceNumber),
            integrity: try derivation.cardMasterKey(from: integrity, pan: pan, panSequenceNumber: panSequenceNumber),
            confidentiality: try derivation.cardMasterKey(from: confidentiality, pan: pan, panSequenceNumber: panSequenceNumber))
    }
}
