private import Bytes
public import CardCapture
private import TLV

extension Receipt {
    /// What the chip adds to a receipt: the AID, which must be there (EMV 4.4 Book 4, 11.4), the application's name, and what explains the decision.
    public struct ChipLines: Sendable, Equatable, Codable {
        /// In hexadecimal digits, as all below unless noted.
        public let aid: String
        /// Preferred name or label, as text.
        public let label: String
        /// Which of the cards with this number it is, tag `5F34`; nil where the card does not say.
        public let panSequenceNumber: String?
        public let terminalVerificationResults: String?
        public let transactionStatusInformation: String?
        public let applicationCryptogram: String?
        /// `TC`, `ARQC` or `AAC`.
        public let cryptogramType: String?
        /// Two characters.
        public let authorisationResponseCode: String?
        /// The last cardholder verification method, in words.
        public let cardholderVerification: String?

        public init(_ chip: ChipData) {
            let elements = chip.elements
            aid = chip.aid.hex
            label = chip.preferredName ?? chip.label
            panSequenceNumber = elements[.panSequenceNumber]?.hex
            terminalVerificationResults = elements[.terminalVerificationResults]?.hex
            transactionStatusInformation = elements[.transactionStatusInformation]?.hex
            applicationCryptogram = elements[.applicationCryptogram]?.hex
            cryptogramType = elements[.cryptogramInformationData]?.first.flatMap { CryptogramInformationData(rawValue: $0).type?.name }
            authorisationResponseCode = elements[.authorisationResponseCode].map(ValueDescription.printable)
            cardholderVerification = elements[.cvmResults].flatMap { CVMResults($0)?.code.words }
        }
    }
}
