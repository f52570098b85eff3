package import TLV

/// The selected verification of the cardholder (EMV Contactless Book C-3, 5.7).
package enum VerificationSelection: Equatable {
    case method(ContactlessOutcome.Verification)
    case declined(ContactlessReason)

    /// - Parameters:
    ///   - card: CTQ, tag `9F6C`; nil if the card has no CTQ.
    ///   - reader: TTQ as sent to the card.
    ///   - relatedData: Tag `9F69`, which fast DDA signs.
    ///   - isARQC: Whether the card's cryptogram is an ARQC.
    package init(
        card: CardTransactionQualifiers?, reader: TerminalTransactionQualifiers, relatedData: [UInt8]?, isARQC: Bool
    ) {
        let isRequired = reader.contains(.cvmRequired)
        guard let card else {
            if !isRequired {
                self = .method(.none)
            } else if reader.contains(.signature) {
                self = .method(.signature)
            } else if reader.contains(.consumerDeviceCVM) && reader.contains(.onlinePIN) {
                self = .method(.onlinePIN)
            } else {
                self = .declined(.verificationNotPossible)
            }
            return
        }
        if card.contains(.onlinePINRequired) && reader.contains(.onlinePIN) {
            self = .method(.onlinePIN)
        } else if card.contains(.consumerDeviceCVMPerformed) {
            let isGenuine = relatedData.map { $0.count >= 7 && Array($0[5..<7]) == card.bytes } ?? isARQC
            self = isGenuine ? .method(.consumerDevice) : .declined(.consumerDeviceVerificationDiffers)
        } else if card.contains(.signatureRequired) && reader.contains(.signature) {
            self = .method(.signature)
        } else {
            self = isRequired ? .declined(.verificationNotPossible) : .method(.none)
        }
    }
}
