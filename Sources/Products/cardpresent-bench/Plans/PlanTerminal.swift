import CardCryptography
import CardProfiles
import EMVKernel
import TLV
import VirtualCard

/// The terminal and the transaction of a case: those of docs/card-profile.md, with the changes of
/// the case.
enum PlanTerminal {
    /// Visa, Visa Electron, Mastercard, Maestro, American Express, Discover, JCB, UnionPay,
    /// Interac, and one of no payment system.
    private static let applications: [[UInt8]] = [
        [0xA0, 0, 0, 0, 0x03, 0x10, 0x10], [0xA0, 0, 0, 0, 0x03, 0x20, 0x10], [0xA0, 0, 0, 0, 0x04, 0x10, 0x10],
        [0xA0, 0, 0, 0, 0x04, 0x30, 0x60], [0xA0, 0, 0, 0, 0x25, 0x01], [0xA0, 0, 0, 0x01, 0x52, 0x30, 0x10],
        [0xA0, 0, 0, 0, 0x65, 0x10, 0x10], [0xA0, 0, 0, 0x03, 0x33, 0x01, 0x01], [0xA0, 0, 0, 0x02, 0x77, 0x10, 0x10],
        [0xF0, 0, 0, 0, 0x01, 0x00, 0x01],
    ]

    static func configuration(_ test: TestCase, versions: [UInt16], caKeys: [CAPublicKey]) -> TerminalConfiguration {
        let terminal = test.terminal
        var configuration = TerminalConfiguration(
            type: terminal.type.map { TerminalType(rawValue: $0) } ?? .attendedOnlineWithOfflineCapability,
            capabilities: terminal.capabilities.flatMap { TerminalCapabilities($0) } ?? [
                .contactChip, .encipheredOfflinePINByRSA, .encipheredOfflinePINByECC, .encipheredOnlinePIN, .signature,
                .noCVM, .sda, .dda, .cda, .xda,
            ],
            additionalCapabilities: terminal.additionalCapabilities.flatMap { AdditionalTerminalCapabilities($0) } ?? [
                .cash, .goods, .services, .cashback, .numericKeys, .printAttendant, .displayCardholder, .codeTable1,
            ], countryCode: terminal.countryCode ?? 276,
            applications: (terminal.applications ?? applications).map {
                ApplicationConfiguration(
                    aid: $0, matchesPartially: terminal.matchesPartially ?? true,
                    versions: terminal.versions ?? versions,
                    actionCodes: terminal.actionCodes.map {
                        ActionCodes(denial: $0.denial, online: $0.online, default: $0.default)
                    }
                        ?? ActionCodes(), floorLimit: terminal.floorLimit ?? 100_00,
                    randomSelection: terminal.randomSelection.map {
                        RandomSelection(
                            targetPercentage: $0.target, maximumPercentage: $0.maximum, threshold: $0.threshold)
                    } ?? RandomSelection())
            }, caKeys: terminal.knowsAuthority ?? true ? caKeys : [],
            usesPaymentSystemEnvironment: terminal.usesDirectory ?? true,
            cardholderSelectsApplication: terminal.cardholderSelectsApplication ?? true)
        if terminal.allowsPlaintextPIN ?? false {
            configuration.allowsPlaintextOfflinePIN = true
            configuration.capabilities.insert(.plaintextOfflinePIN)
        }
        return configuration
    }

    static func kind(_ test: TestCase) -> TransactionRequest.Kind {
        switch test.transaction.kind {
        case .purchase, nil: .purchase
        case .cash: .cash
        case .purchaseWithCashback: .purchaseWithCashback
        case .refund: .refund
        }
    }

    static func request(_ test: TestCase) -> TransactionRequest {
        let requested = test.transaction
        return TransactionRequest(
            kind: kind(test), amount: test.expectation.amount, amountOther: requested.amountOther ?? 0,
            currencyCode: requested.currencyCode ?? 978, date: requested.date ?? [0x26, 0x11, 0x21],
            time: [0x12, 0x00, 0x00],
            forcesOnline: requested.isForcedOnline ?? false)
    }
}
