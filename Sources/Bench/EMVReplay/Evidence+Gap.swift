import Bytes
public import CardCryptography
import TLV

extension Evidence {
    /// What a check lacked.
    public enum Gap: Sendable, Equatable {
        /// The key of the authority; the RID is empty if the log does not show the application.
        case caKey(rid: [UInt8], index: UInt8)
        /// The certificates of the card, or the issuer's key in them.
        case certificates
        /// A key that an earlier certificate would have given.
        case chain
        /// The digits of the PAN that somebody has hidden.
        case maskedNumber
        /// The transaction's date.
        case date
        /// A transaction has two GENERATE ACs (EMV 4.4 Book 3, 9.3).
        case thirdCryptogram
        /// The terminal's part of the cryptogram's input.
        case cryptogramInput
        /// The cryptogram, which is inside a signature.
        case signedInside
        /// How a card of this version number computes its cryptograms.
        case cryptogramVersion
        case cardNumber
        /// What the cryptogram is computed over does not fit its version.
        case computation(CryptogramError)
        /// The issuer's key is not as long as the version's cipher needs.
        case issuerKeyLength
        /// The issuer's answer is not as long as that of the version's method.
        case answerLength
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
        case .certificates: "the log does not contain the certificate of its key"
        case .chain: "the certificate of its key is not proved"
        case .maskedNumber: "digits of the card number are hidden in the log"
        case .date: "the log does not show the date of the transaction (tag 9A)"
        case .thirdCryptogram: "a transaction has two GENERATE ACs at most"
        case .cryptogramInput: "the log does not show everything that the cryptogram is computed over"
        case .signedInside: "the cryptogram is inside a signature that is not proved"
        case .cryptogramVersion:
            "it is not known how a card of this cryptogram version computes it: name it with --cryptogram-version"
        case .computation(let error): "\(error)"
        case .cardNumber: "the log does not show the card number"
        case .issuerKeyLength: "the issuer's key has not the length that this cryptogram version needs"
        case .answerLength: "its length is not that of the version's method: it may be fictitious"
        case .signedData: "it is not known what a card of this payment system signs"
        case .signedCryptogram: "a signature comes with a TC or an ARQC, and the card returned neither"
        case .unpredictableNumber: "the log does not show the unpredictable number (tag 9F37)"
        case .track: "the log does not show track, counter and unpredictable number"
        case .issuerKey(let key):
            "only the issuer's key can prove it: give a test key as \(key.rawValue) in the head of the log"
        }
    }
}

extension DataElements {
    /// Whether somebody has hidden digits of the PAN by `F`, which only pads it at its end.
    var hasMaskedPAN: Bool {
        guard let pan = self[.applicationPAN] else { return false }
        let nibbles = pan.flatMap { [$0 >> 4, $0 & 0x0F] }
        return nibbles.firstIndex(of: 0x0F).map { nibbles[$0...].contains { $0 != 0x0F } } ?? false
    }
}
