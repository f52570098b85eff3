private import Bytes
public import CardCapture
private import TLV

extension Receipt {
    /// The chip's data on a receipt: the AID, which is mandatory (EMV 4.4 Book 4, 11.4), the
    /// application's name, and the data that explain the decision.
    public struct ChipLines: Sendable, Equatable, Codable {
        /// In hexadecimal digits, as all below unless noted.
        public let aid: String
        /// Preferred name or label, as text: what a receipt shows.
        public let label: String
        /// The application's own label, tag `50`, as text; nil if the card has none.
        public let applicationLabel: String?
        /// The issuer's own name for the application, tag `9F12`, as text; nil without one, or
        /// without its code table.
        public let preferredName: String?
        /// Distinguishes cards with the same number, tag `5F34`; nil if the card has none.
        public let panSequenceNumber: String?
        /// TVR, tag `95`, 5 bytes; nil if the reader does not return it.
        public let terminalVerificationResults: String?
        /// TSI, tag `9B`, 2 bytes; nil if the reader does not return it.
        public let transactionStatusInformation: String?
        /// The card's last cryptogram, tag `9F26`, 8 bytes; nil if there is none.
        public let applicationCryptogram: String?
        /// `TC`, `ARQC` or `AAC`.
        public let cryptogramType: String?
        /// Two characters.
        public let authorisationResponseCode: String?
        /// The last cardholder verification method and, if it failed, that it did, as text.
        public let cardholderVerification: String?
        /// The remaining offline amount of a tapped card, tag `9F5D` of Visa's kernel, in minor
        /// units of the transaction's currency (EMV Contactless Book C-3, A.2); nil if the card
        /// does not return it.
        public let availableOfflineAmount: UInt64?

        /// The lines from the data objects at the end of the transaction.
        public init(_ chip: ChipData) {
            let elements = chip.elements
            aid = chip.aid.hex
            label = chip.preferredName ?? chip.label
            applicationLabel = elements[.applicationLabel].map(ValueDescription.printable)
            preferredName = chip.preferredName
            panSequenceNumber = elements[.panSequenceNumber]?.hex
            terminalVerificationResults = elements[.terminalVerificationResults]?.hex
            transactionStatusInformation = elements[.transactionStatusInformation]?.hex
            applicationCryptogram = elements[.applicationCryptogram]?.hex
            cryptogramType = elements[.cryptogramInformationData]?.first.flatMap {
                CryptogramInformationData(rawValue: $0).type?.name
            }
            authorisationResponseCode = elements[.authorisationResponseCode].map(ValueDescription.printable)
            cardholderVerification = Self.verification(elements)
            availableOfflineAmount = Self.availableOfflineAmount(chip)
        }

        private static func verification(_ elements: DataElements) -> String? {
            if isVerifiedOnDevice(elements) { return onDevice }
            let words = elements[.cvmResults].flatMap { CVMResults($0)?.outcome } ?? tappedVerification(elements)
            // The terminal does not know whether the PIN was right; the issuer's answer may say
            // that it was not.
            guard words == Self.onlinePIN.outcome, let answer = elements[.authorisationResponseCode],
                wrongPINAnswers.contains(where: { $0.utf8.elementsEqual(answer) })
            else { return words }
            return CVMResults(rule: Self.onlinePINRule, result: .failed).outcome
        }

        private static let onlinePINRule = CVMRule(code: .onlinePIN, continuesIfUnsuccessful: false, condition: .always)
        private static let onlinePIN = CVMResults(rule: onlinePINRule, result: .unknown)

        /// Incorrect PIN, and PIN tries exceeded (ISO 8583:1987, field 39).
        private static let wrongPINAnswers = ["55", "75"]

        /// Other kernels have other meanings for the tag.
        private static func availableOfflineAmount(_ chip: ChipData) -> UInt64? {
            guard chip.elements[.pointOfServiceEntryMode] == [0x07],
                PaymentSystem(rid: chip.aid.prefix(5)) == .visa,
                chip.elements.count(of: .availableOfflineSpendingAmount) == 6
            else { return nil }
            return chip.elements.number(.availableOfflineSpendingAmount)
        }

        /// Whether the card itself accepted a PIN.
        static func isPINAccepted(by chip: ChipData) -> Bool {
            guard !isVerifiedOnDevice(chip.elements), let results = chip.elements[.cvmResults].flatMap(CVMResults.init)
            else { return false }
            switch results.code {
            case .plaintextPIN, .encipheredPIN: return results.result == .successful
            // What is unknown is the signature.
            case .plaintextPINAndSignature, .encipheredPINAndSignature: return results.result != .failed
            default: return false
            }
        }

        private static let onDevice = "Verified on the cardholder's device"

        /// CVM results 010002 of a tap with Mastercard's kernel, which mean a PIN with contacts
        /// (EMV Contactless Book C-2, 7.5).
        private static func isVerifiedOnDevice(_ elements: DataElements) -> Bool {
            elements[.pointOfServiceEntryMode] == [0x07] && elements[.cvmResults] == [0x01, 0x00, 0x02]
        }

        /// For a tap with Visa's kernel, which has no CVM results: from the card's transaction
        /// qualifiers, online PIN before the consumer's device (EMV Contactless Book C-3, 5.7).
        private static func tappedVerification(_ elements: DataElements) -> String? {
            guard elements[.pointOfServiceEntryMode] == [0x07],
                let qualifiers = elements[.cardTransactionQualifiers].flatMap(CardTransactionQualifiers.init)
            else { return nil }
            let reader = elements[.terminalTransactionQualifiers].flatMap(TerminalTransactionQualifiers.init) ?? []
            if qualifiers.contains(.onlinePINRequired) && reader.contains(.onlinePIN) { return onlinePIN.outcome }
            if qualifiers.contains(.consumerDeviceCVMPerformed) { return onDevice }
            return qualifiers.contains(.signatureRequired) && reader.contains(.signature)
                ? CVMCode.signature.summary : nil
        }
    }
}
