import Contactless
import TLV
import Testing

/// Pre-processing of one combination (EMV Contactless Book B, 3.1.1).
@Suite struct PreProcessingTests {
    private func indicators(
        _ amount: UInt64, exponent: UInt8 = 2, qualifiers: TerminalTransactionQualifiers? = [.emvMode, .onlinePIN],
        _ limits: TransactionLimits
    ) -> PreProcessingIndicators {
        PreProcessingIndicators(amount: amount, currencyExponent: exponent, limits: limits, qualifiers: qualifiers)
    }

    @Test(arguments: [(4999 as UInt64, false), (5000, true), (5001, true)])
    func transactionLimitIsReachedByItsAmount(amount: UInt64, isRefused: Bool) {
        #expect(
            indicators(amount, TransactionLimits(transactionLimit: 5000)).contactlessApplicationNotAllowed == isRefused)
    }

    @Test(arguments: [(1000 as UInt64, false), (1001, true)])
    func floorLimitIsPassedOnlyByMore(amount: UInt64, isExceeded: Bool) {
        let found = indicators(amount, TransactionLimits(floorLimit: 1000))
        #expect(found.floorLimitExceeded == isExceeded)
        #expect(found.qualifiers?.contains(.onlineCryptogramRequired) == isExceeded)
    }

    @Test(arguments: [(1999 as UInt64, false), (2000, true)])
    func cvmLimitIsReachedByItsAmount(amount: UInt64, isExceeded: Bool) {
        let found = indicators(amount, TransactionLimits(cvmRequiredLimit: 2000))
        #expect(found.cvmRequiredLimitExceeded == isExceeded)
        #expect(found.qualifiers?.contains(.cvmRequired) == isExceeded)
    }

    @Test func terminalFloorLimitCountsOnlyWithoutTheReaders() {
        #expect(indicators(501, TransactionLimits(terminalFloorLimit: 500)).floorLimitExceeded)
        #expect(!indicators(501, TransactionLimits(floorLimit: 1000, terminalFloorLimit: 500)).floorLimitExceeded)
        #expect(indicators(1, TransactionLimits(floorLimit: 0, terminalFloorLimit: 500)).floorLimitExceeded)
        #expect(!indicators(.max, TransactionLimits()).floorLimitExceeded)
    }

    @Test(arguments: [
        (100 as UInt64, 2 as UInt8, true), (1, 0, true), (1000, 3, true), (101, 2, false), (100, 0, false),
        (100, 99, false),
    ])
    func statusCheckIsOneUnitOfTheCurrency(amount: UInt64, exponent: UInt8, isCheck: Bool) {
        let found = indicators(amount, exponent: exponent, TransactionLimits(supportsStatusCheck: true))
        #expect(found.statusCheckRequested == isCheck)
        #expect(found.qualifiers?.contains(.onlineCryptogramRequired) == isCheck)
    }

    @Test(arguments: [nil, false]) func statusCheckIsForReadersThatSupportIt(flag: Bool?) {
        #expect(!indicators(100, TransactionLimits(supportsStatusCheck: flag)).statusCheckRequested)
    }

    @Test(
        "An absent flag differs from one that is 0", arguments: [(nil as Bool?, false), (true, false), (false, true)])
    func zeroAmount(flag: Bool?, isRefused: Bool) {
        let found = indicators(0, TransactionLimits(allowsZeroAmount: flag))
        #expect(found.contactlessApplicationNotAllowed == isRefused)
        #expect(found.zeroAmount == !isRefused)
        #expect(found.qualifiers?.contains(.onlineCryptogramRequired) == !isRefused)
    }

    @Test func zeroAmountNeedsAReaderThatGoesOnline() {
        let found = indicators(0, qualifiers: [.emvMode, .offlineOnlyReader], TransactionLimits())
        #expect(found.contactlessApplicationNotAllowed)
        #expect(found.qualifiers?.contains(.onlineCryptogramRequired) == false)
    }

    @Test func theCopyOfTTQBeginsWithoutItsTwoBits() {
        let configured: TerminalTransactionQualifiers = [
            .emvMode, .onlineCryptogramRequired, .cvmRequired, .consumerDeviceCVM,
        ]
        #expect(
            indicators(1, qualifiers: configured, TransactionLimits()).qualifiers == [.emvMode, .consumerDeviceCVM])
        #expect(indicators(1, qualifiers: nil, TransactionLimits(floorLimit: 0)).qualifiers == nil)
    }
}
