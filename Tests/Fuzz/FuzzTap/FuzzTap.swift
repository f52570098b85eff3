import CFuzzer
import Foundation
import Modules

@c(FuzzTap_main)
public func start(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
    if let folder = ProcessInfo.processInfo.environment["CARDPRESENT_TAP_SEEDS"] {
        do {
            try TapSeeds.write(to: folder)
            return 0
        } catch {
            print("\(error)")
            return 1
        }
    }
    return run_fuzzer(count, arguments) { fuzz($0, $1) }
}

/// A card in a contactless reader's field that answers with what the fuzzer made up, or changed in
/// what a virtual card answered once: directory, application, processing options and records, relay
/// resistance, a recovered cryptogram and, at a second tap, what it says to its issuer. Entry Point
/// ends with an outcome of its own, in a bounded number of commands; the kernels of Visa, American
/// Express and UnionPay approve nothing offline that was not signed.
private func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var card = InventedCard([UInt8](UnsafeBufferPointer(start: start, count: count)))
    tap { $0 == nil ? .cardPresent : card.answer() }
    return 0
}

/// A tap, and the one that brings the issuer's answer where there is one.
///
/// - Parameter field: The answer to a command; nil where a card is looked for.
func tap(_ field: (CommandAPDU?) -> EntryPoint.Event) {
    var entryPoint = EntryPoint(
        configuration,
        request: TransactionRequest(amount: 1234, currencyCode: 978, date: [0x26, 0x11, 0x21], time: [0x12, 0, 0]),
        environment: FixedEnvironment(number: [1, 2, 3, 4], percentage: 50))
    let first = end(&entryPoint, entryPoint.start(), field)
    precondition(first.status != .tryAgain && first.status != .selectNext)
    let needsSignature =
        first.data?.terminal[.applicationIdentifierTerminal].map { [0x03, 0x25, 0x33].contains($0[4]) } ?? false
    precondition(
        first.status != .approved || !needsSignature || first.data?.card.contains(.signedDynamicApplicationData) == true
    )
    precondition(first.status != .onlineRequest || first.data != nil)
    // Kernel 8: the card's certificates and its code over the cryptogram.
    let isKernel8 = first.data?.terminal[.applicationIdentifierTerminal]?.first == 0xF0
    precondition(
        first.status != .approved || !isKernel8 || first.data?.card.contains(.enhancedDataAuthenticationMAC) == true)
    guard let step = entryPoint.resume(with: answer) else { return }
    let second = end(&entryPoint, step, field)
    precondition(second.status == .approved || second.status == .endApplication)
}

private func end(
    _ entryPoint: inout EntryPoint, _ first: EntryPoint.Step, _ field: (CommandAPDU?) -> EntryPoint.Event
) -> ContactlessOutcome {
    var step = first
    // For each presentation: the directory, each of its candidates, processing options and records.
    for _ in 0..<2000 {
        switch step.action {
        case .poll: step = entryPoint.next(field(nil))
        case .waitForEmptyField: step = entryPoint.next(.fieldEmpty)
        case .transmit(let command): step = entryPoint.next(field(command))
        case .end(let outcome): return outcome
        }
    }
    preconditionFailure("the tap does not end")
}

private let answer = IssuerResponse(
    responseCode: Array("00".utf8), authenticationData: [1, 2, 3, 4, 5, 6, 7, 8],
    scripts: [[0x72, 0x07, 0x86, 0x05, 0x84, 0x1E, 0x00, 0x00, 0x00]])

private let configuration = EntryPointConfiguration(
    terminal: TerminalConfiguration(
        capabilities: [.signature, .noCVM, .encipheredOnlinePIN, .sda, .dda, .cda], additionalCapabilities: [.goods],
        countryCode: 276,
        applications: [],
        caKeys: TapSeeds.authorityKeys),
    combinations: [
        {
            var combination = Combination.visa(
                limits: TransactionLimits(floorLimit: 50_00, cvmRequiredLimit: 10_00), hasPINPad: true)
            combination.qualifiers?.formUnion([.dataAuthenticationForOnline, .issuerUpdateProcessing])
            combination.supportsExtendedSelection = true
            return combination
        }(),
        {
            var kernel = Kernel2Configuration(
                floorLimit: 20_00, transactionLimit: 100_00, deviceTransactionLimit: 100_00, cvmRequiredLimit: 10_00,
                verificationAboveLimit: [.signature, .encipheredOnlinePIN])
            var storage = Kernel2Configuration.DataStorage(operatorIdentifier: [1, 2, 3, 4, 5, 6, 7, 8])
            storage.writes.slot = .init(
                info: .volatileSlot, cryptogram: .tc, instructions: .usableForARQC, operatorData: [1, 2, 3])
            storage.writes.afterCryptogram = [.init(0x9F75, [1])].compactMap(\.self)
            kernel.dataStorage = storage
            kernel.relayResistance = RelayResistanceLimits()
            (kernel.maximumTornTransactions, kernel.tornTransactionLifetime) = (2, 300)
            return Combination(
                aid: [0xA0, 0x00, 0x00, 0x00, 0x04, 0x10, 0x10], limits: TransactionLimits(), kernel: kernel)
        }(),
        .americanExpress(limits: TransactionLimits(floorLimit: 50_00, cvmRequiredLimit: 10_00), hasPINPad: true),
        .unionPay(limits: TransactionLimits(floorLimit: 50_00, cvmRequiredLimit: 10_00), hasPINPad: true),
        {
            var kernel = Kernel8Configuration(
                floorLimit: 50_00, cvmRequiredLimit: 50_00,
                verificationAboveLimit: [.signature, .consumerDevice, .onlinePIN])
            kernel.makeKey = TapSeeds.kernelKey
            kernel.relayResistance = RelayResistanceLimits()
            kernel.envelopesToRead = [1, 2]
            kernel.envelopesToWrite = [Kernel8Configuration.DataEnvelope(number: 10, value: [1, 2, 3])].compactMap(
                \.self)
            return Combination(
                aid: [0xF0, 0x00, 0x00, 0x00, 0x01, 0x00, 0x08], limits: TransactionLimits(), kernel: kernel)
        }(),
    ])

/// Answers from one string of bytes: a length, the milliseconds that the answer takes, then so many
/// bytes. Where they end the card has gone.
private struct InventedCard {
    private let bytes: [UInt8]
    private var at = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func answer() -> EntryPoint.Event {
        guard at + 1 < bytes.count else { return .failed(.cardRemoved) }
        let (start, time) = (at + 2, bytes[at + 1])
        let end = min(bytes.count, start + Int(bytes[at]))
        defer { at = end }
        guard let response = ResponseAPDU(bytes: Array(bytes[start..<end])) else { return .failed(.timedOut) }
        return .answered(response, after: .milliseconds(Int(time)))
    }
}
