internal import Bytes
internal import TLV

extension CardApplication {
    /// The answer to SELECT (EMV 4.4 Book 1, table 10).
    func fileControlInformation(_ profile: CardProfile) -> [UInt8] {
        tlv(.fciTemplate) { template in
            template.append(.dfName, aid)
            template.append(.fciProprietaryTemplate) { proprietary in
                appendNames(to: &proprietary)
                if let pdol = profile.pdol { proprietary.append(.pdol, pdol.bytes) }
                profile.appendLanguages(to: &proprietary)
                guard profile.logFormat != nil else { return }
                proprietary.append(.fciIssuerDiscretionaryData) { discretionary in
                    discretionary.append(
                        // fits: a constant
                        .logEntry, [TransactionLog.shortFileIdentifier, UInt8(TransactionLog.capacity)])
                }
            }
        }
    }

    /// Tags `50`, `87`, `9F11` and `9F12`.
    func appendNames(to builder: inout TLVBuilder) {
        builder.append(.applicationLabel, label.utf8)
        if let priority {
            builder.append(.applicationPriorityIndicator, [priority & 0x0F | (needsConfirmation ? 0x80 : 0)])
        }
        guard let preferredName else { return }
        // fits: a table has a number from 1 to 16
        builder.append(.issuerCodeTableIndex, BCD.encode(UInt64(codeTable.rawValue), count: 1) ?? [])
        builder.append(.applicationPreferredName, codeTable.bytes(preferredName) ?? [])
    }
}

extension CardProfile {
    /// Tag `5F2D`.
    func appendLanguages(to builder: inout TLVBuilder) {
        if !languages.isEmpty { builder.append(.languagePreference, languages.joined().utf8) }
    }
}

/// The directory of a card (EMV 4.4 Book 1, 12.2).
enum PaymentSystemEnvironment {
    /// `1PAY.SYS.DDF01`
    static let name = Array("1PAY.SYS.DDF01".utf8)
    static let shortFileIdentifier: UInt8 = 1

    /// The answer to SELECT (EMV 4.4 Book 1, table 8).
    static func fileControlInformation(_ profile: CardProfile) -> [UInt8] {
        tlv(.fciTemplate) { template in
            template.append(.dfName, name)
            template.append(.fciProprietaryTemplate) { proprietary in
                proprietary.append(.shortFileIdentifier, [shortFileIdentifier])
                profile.appendLanguages(to: &proprietary)
            }
        }
    }

    /// One record for each application (EMV 4.4 Book 1, tables 11 and 12).
    static func records(_ applications: [CardApplication]) -> [[UInt8]] {
        applications.map { application in
            tlv(.recordTemplate) { record in
                record.append(.applicationTemplate) { entry in
                    entry.append(.adfName, application.aid)
                    application.appendNames(to: &entry)
                }
            }
        }
    }
}
