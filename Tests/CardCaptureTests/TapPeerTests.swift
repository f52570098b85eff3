import Bytes
import CardCryptography
import Contactless
import EMVKernel
import Foundation
import KernelDoubles
import Kernels
import SmartCard
import TLV
import Testing

/// Kernels 2 and 3 against `Tests/Peers/tap-peer.py`, which draws terminals and cards at random and
/// says by rules of its own how each tap must end: outcome, message, cardholder verification, TTQ,
/// GENERATE AC with its data.
///
/// `CARDPRESENT_TAPS=20000 swift test --filter TapPeerTests` draws more.
@Suite("Taps end as an independent implementation of the rules says") struct TapPeerTests {
    @Test("Randomly drawn taps have the outcome that the independent program computes", .timeLimit(.minutes(20)))
    func drawnTaps() throws {
        let count = ProcessInfo.processInfo.environment["CARDPRESENT_TAPS"].flatMap { Int($0) } ?? 1000
        let seed = ProcessInfo.processInfo.environment["CARDPRESENT_SEED"] ?? "1"
        let lines = try Self.drawn(seed: seed, count: count)
        try #require(lines.count == count + 1)
        let decoder = JSONDecoder()
        let key = try decoder.decode(DrawnKey.self, from: lines[0])
        var statuses: [String: Int] = [:]
        var decided: [String: Int] = [:]
        var disagreements: [String] = []
        for line in lines.dropFirst() {
            let tap = try decoder.decode(DrawnTap.self, from: line)
            statuses["kernel \(tap.kernel) \(tap.expect.status)", default: 0] += 1
            if let status = tap.expect.summaryStatus { decided["storage \(status)", default: 0] += 1 }
            if let difference = try tap.difference(key) { disagreements.append("\(tap.position): \(difference)") }
        }
        print(
            "\(count) taps: \(statuses.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", "))"
        )
        #expect(disagreements.isEmpty, "\(disagreements.count) of \(count): \(disagreements.prefix(20))")
        let storage = decided.filter { $0.key.hasPrefix("storage") }
        #expect(["00", "80", "C0"].allSatisfy { storage["storage \($0)", default: 0] * 200 >= count }, "\(storage)")
        // Every kind of end is among them, so that agreement says something.
        for status in ["approved", "declined", "onlineRequest", "tryAnotherInterface"] {
            for kernel in [2, 3] {
                #expect(statuses["kernel \(kernel) \(status)", default: 0] * 100 >= count, "kernel \(kernel) \(status)")
            }
        }
    }

    private static func drawn(seed: String, count: Int) throws -> [Data] {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", tests.appending(path: "Peers/tap-peer.py").path, seed, "\(count)"]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let printed = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return printed.split(separator: UInt8(ascii: "\n")).map { Data($0) }
    }
}

private struct DrawnKey: Decodable {
    let index: UInt8
    let modulus, exponent: String
}

/// A terminal, a card's answers and how the tap must end.
private struct DrawnTap: Decodable {
    struct Limits: Decodable {
        let transactionLimit, floorLimit, cvmRequiredLimit: UInt64?
        let terminalFloorLimit: UInt32?
        let statusCheck, zeroAmount: Bool?
    }

    struct MastercardSettings: Decodable {
        let floorLimit, transactionLimit, deviceTransactionLimit, cvmRequiredLimit: UInt64
        let above, below: UInt64
        let device: Bool
        let denial, online, `default`: String
    }

    struct Storage: Decodable {
        struct Write: Decodable {
            let info: UInt8
            let cryptogram, instructions: UInt8?
            let cardInput, terminalInput, data: String?
        }

        let `operator`: String
        let write: Write?
    }

    struct Card: Decodable {
        let directory, application, options: String
        let records: [String: String]
        let cryptogram: String?
    }

    struct Expectation: Decodable {
        let status: String
        let message: UInt8
        let cvm, ttq, generateAC, data: String?
        /// DS summary status, and byte 2 of the error indication.
        let summaryStatus: String?
        let error: UInt8?
    }

    let position, kernel: Int
    let ttq: String?
    let limits: Limits
    let kernel2: MastercardSettings?
    let storage: Storage?
    let amount: UInt64
    let kind, terminalType: UInt8
    let number, capabilities: String
    let isListed: Bool
    let card: Card?
    let expect: Expectation

    private func entryPoint(_ key: DrawnKey) throws -> EntryPoint {
        let limits = TransactionLimits(
            supportsStatusCheck: limits.statusCheck, allowsZeroAmount: limits.zeroAmount,
            transactionLimit: limits.transactionLimit,
            floorLimit: limits.floorLimit, terminalFloorLimit: limits.terminalFloorLimit,
            cvmRequiredLimit: limits.cvmRequiredLimit)
        let rid: [UInt8] = [0xA0, 0x00, 0x00, 0x00, kernel == 3 ? 0x03 : 0x04]
        let combination =
            if kernel == 3 {
                Combination(
                    aid: rid + [0x10, 0x10], limits: limits,
                    qualifiers: try TerminalTransactionQualifiers([UInt8](hex: try #require(ttq))),
                    kernel: Kernel3Configuration())
            } else {
                Combination(
                    aid: rid + [0x10, 0x10], limits: limits, kernel: try #require(kernel2).configuration(storage))
            }
        let authority = try CAPublicKey(
            rid: rid, index: key.index,
            key: RSAPublicKey(modulus: [UInt8](hex: key.modulus), exponent: [UInt8](hex: key.exponent)),
            isTest: true)
        let terminal = TerminalConfiguration(
            type: TerminalType(rawValue: terminalType),
            capabilities: try TerminalCapabilities([UInt8](hex: capabilities)) ?? [],
            additionalCapabilities: [.goods], countryCode: 250, applications: [], caKeys: [authority])
        var request = TransactionRequest(
            amount: amount, currencyCode: 978, date: [0x26, 0x03, 0x09], time: [0x12, 0x00, 0x00])
        request.kind = try #require(TransactionRequest.Kind(rawValue: kind))
        var environment = FixedEnvironment(number: try [UInt8](hex: number), percentage: 50)
        environment.isListed = { [isListed] _ in isListed }
        return EntryPoint(
            EntryPointConfiguration(terminal: terminal, combinations: [combination], maximumPresentations: 1),
            request: request,
            environment: environment)
    }

    /// What differs from the expectation; nil if nothing does.
    func difference(_ key: DrawnKey) throws -> String? {
        var entryPoint = try entryPoint(key)
        var step = entryPoint.start()
        var (options, generateAC): (String?, String?)
        while true {
            switch step.action {
            case .poll: step = entryPoint.next(.cardPresent)
            case .waitForEmptyField: step = entryPoint.next(.fieldEmpty)
            case .transmit(let command):
                let hex = command.bytes.hex
                if command.ins == 0xA8 { options = hex }
                if command.ins == 0xAE { generateAC = hex }
                guard let card, let answer = ResponseAPDU(bytes: try [UInt8](hex: card.answer(to: command))) else {
                    return "a command for no card"
                }
                step = entryPoint.next(.answered(answer, after: .zero))
            case .end(let outcome): return difference(outcome, options: options, generateAC: generateAC)
            }
        }
    }

    private func difference(_ outcome: ContactlessOutcome, options: String?, generateAC: String?) -> String? {
        if let status = expect.summaryStatus, outcome.discretionaryData[0xDF810B]?.hex != status {
            return "DS summary status \(outcome.discretionaryData[0xDF810B]?.hex ?? "missing"), not \(status)"
        }
        if let error = expect.error, outcome.discretionaryData[0xDF8115]?[1] != error {
            return "error \(outcome.discretionaryData[0xDF8115]?.hex ?? "missing"), not \(error)"
        }
        if "\(outcome.status)" != expect.status {
            return "\(outcome.status), not \(expect.status): \(String(describing: outcome.reason))"
        }
        if outcome.onOutcome?.message.rawValue != expect.message {
            return "message \(String(describing: outcome.onOutcome?.message)), not \(expect.message)"
        }
        let isTaken = ["approved", "onlineRequest"].contains(expect.status)
        if isTaken, outcome.verification.map({ "\($0)" }) != expect.cvm {
            return "\(String(describing: outcome.verification)), not \(expect.cvm ?? "no method")"
        }
        // Behind CLA, INS, P1, P2, Lc, 83 and its length.
        if let ttq = expect.ttq, options.map({ $0.dropFirst(14).prefix(8).lowercased() }) != ttq {
            return "TTQ \(options ?? "not sent")"
        }
        if let reference = expect.generateAC, let data = expect.data {
            guard let generateAC else { return "no GENERATE AC" }
            if generateAC.dropFirst(4).prefix(2) != reference {
                return "GENERATE AC \(generateAC.dropFirst(4).prefix(2)), not \(reference)"
            }
            let sent = generateAC.dropFirst(10).dropLast(2).lowercased()
            if sent != data { return "CDOL1 data \(sent), not \(data)" }
        }
        return nil
    }
}

extension DrawnTap.Card {
    fileprivate func answer(to command: CommandAPDU) -> String {
        switch command.ins {
        case 0xA4: command.data.starts(with: Array("2PAY".utf8)) ? directory : application
        case 0xA8: options
        case 0xB2: records[[command.p1, command.p2].hex] ?? "6A83"
        default: cryptogram ?? "6D00"
        }
    }
}

extension DrawnTap.MastercardSettings {
    fileprivate func configuration(_ storage: DrawnTap.Storage?) throws -> Kernel2Configuration {
        var configuration = Kernel2Configuration(
            floorLimit: floorLimit, transactionLimit: transactionLimit, deviceTransactionLimit: deviceTransactionLimit,
            cvmRequiredLimit: cvmRequiredLimit, verificationAboveLimit: TerminalCapabilities(rawValue: above << 8),
            verificationBelowLimit: TerminalCapabilities(rawValue: below << 8), supportsDeviceVerification: device)
        let codes = try [denial, online, `default`].map { TerminalVerificationResults(try [UInt8](hex: $0)) ?? [] }
        configuration.actionCodes = ActionCodes(denial: codes[0], online: codes[1], default: codes[2])
        configuration.dataStorage = try storage?.request()
        return configuration
    }
}

extension DrawnTap.Storage {
    fileprivate func request() throws -> Kernel2Configuration.DataStorage {
        let write = try write.map { write in
            func bytes(_ hex: String?) throws -> [UInt8]? { try hex.map { try [UInt8](hex: $0) } }
            return Kernel2Configuration.DataStorage.SlotWrite(
                info: .init(rawValue: write.info), cryptogram: write.cryptogram.flatMap(CryptogramType.init),
                instructions: write.instructions.map(Kernel2Configuration.DataStorage.SlotWrite.Instructions.init),
                cardInput: try bytes(write.cardInput), terminalInput: try bytes(write.terminalInput),
                operatorData: try bytes(write.data))
        }
        return Kernel2Configuration.DataStorage(
            operatorIdentifier: try [UInt8](hex: self.operator),
            writes: Kernel2Configuration.DataStorage.Writes(slot: write))
    }
}
