import Bytes

extension Evidence {
    /// What a check lacked.
    public enum Gap: Sendable, Equatable {
        /// The key of the authority; the RID is empty if the log does not show the application.
        case caKey(rid: [UInt8], index: UInt8)
        /// Signed records that the terminal did not read.
        case records([Record])
        /// Which data a card of this payment system signs.
        case signedData
        /// A TC or an ARQC, with which a signature goes.
        case signedCryptogram
        /// Tag `9F37` of the terminal.
        case unpredictableNumber
        /// Track, counter and unpredictable number of a CVC3.
        case track
        /// The issuer's key, under this name in the head of the log.
        case issuerKey(HeadKey)
    }

    /// A record of a card's file.
    public struct Record: Sendable, Equatable {
        /// From 1.
        public let number: UInt8
        /// The short file identifier, 1 to 30.
        public let sfi: UInt8
    }

    /// The names of issuers' keys in the head of a log.
    public enum HeadKey: String, Sendable {
        case issuerMasterKey = "issuer-master-key"
        case cvc3MasterKey = "cvc3-master-key"
    }
}

extension Evidence.Gap: CustomStringConvertible {
    /// What is missing, and the cure.
    public var description: String {
        switch self {
        case .caKey(let rid, let index):
            rid.isEmpty
                ? "the log does not show which application was selected, so the CA key is unknown"
                : "CA key \(rid.hex) \([index].hex) not found: give it with --ca-keys"
        case .records(let records):
            "the log does not contain the signed data: "
                + records.map { "record \($0.number) of SFI \($0.sfi)" }.joined(separator: ", ")
        case .signedData: "it is not known what a card of this payment system signs"
        case .signedCryptogram: "a signature comes with a TC or an ARQC, and the card returned neither"
        case .unpredictableNumber: "the log does not show the unpredictable number (tag 9F37)"
        case .track: "the log does not show track, counter and unpredictable number"
        case .issuerKey(let key): "only the issuer's key can prove it: give a test key as \(key.rawValue) in the head of the log"
        }
    }
}
