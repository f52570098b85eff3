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
import VirtualCard

/// The sessions of `Vectors/kernel-8`: a second implementation, in Python, computes every value
/// again, and our kernel says again what it said.
@Suite("Sessions of kernel 8") struct SessionVectorTests {
    /// Four folders above this file.
    private static let package = (0..<4).reduce(URL(filePath: #filePath)) { folder, _ in
        folder.deletingLastPathComponent()
    }
    private static let names = ["p256", "p521"]

    private struct Session: Decodable {
        struct Exchange: Decodable {
            let command: String
            let answer: String
        }
        struct Authority: Decodable {
            let rid: String
            let index: String
            let x: String
        }
        struct Local: Decodable {
            let IADMAC: String
            let issuerApplicationData: String
            let applicationCryptogram: String
        }
        let curve: String
        let kernelPrivateKey: String
        let authority: Authority
        let exchanges: [Exchange]
        let local: Local
    }

    private func file(_ name: String) -> URL { Self.package.appending(path: "Vectors/kernel-8/\(name).json") }

    /// What the peer prints, and its exit status.
    private func peer(_ session: URL) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", Self.package.appending(path: "Tests/Peers/kernel8.py").path, session.path]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let printed = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, printed.trimmingCharacters(in: .newlines))
    }

    @Test("Another implementation computes every value again", arguments: names) func anotherImplementation(
        _ name: String
    ) throws {
        let (status, output) = try peer(file(name))
        #expect(status == 0)
        #expect(output == "\(name == "p256" ? "P-256" : "P-521"): 52 values")
    }

    /// Else the comparison would prove nothing.
    @Test(
        "The other implementation finds a changed value",
        arguments: [
            "SKI", "sharedX", "blindingFactor", "enciphered", "MAC", "plain", "IADMAC", "EDAMAC", "SDAHash",
            "applicationCryptogram",
        ])
    func changedValue(_ key: String) throws {
        let text = try String(contentsOf: file("p256"), encoding: .utf8)
        let start = try #require(text.range(of: "\"\(key)\" : \"")).upperBound
        var changed = text
        changed.replaceSubrange(start...start, with: text[start] == "0" ? "1" : "0")
        let place = FileManager.default.temporaryDirectory.appending(path: "session-\(UUID().uuidString).json")
        try changed.write(to: place, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: place) }
        #expect(try peer(place).status == 1)
    }

    @Test("Our kernel sends the same commands to the recorded card", arguments: names) func ourKernel(_ name: String)
        throws
    {
        let session = try JSONDecoder().decode(Session.self, from: Data(contentsOf: file(name)))
        let suite: EnciphermentSuite = session.curve == "P-256" ? .p256 : .p521
        let key = try KernelKeyAgreement(suite, scalar: SecretBytes([UInt8](hex: session.kernelPrivateKey)))
        var kernel = Kernel8Configuration(floorLimit: 25_00, cvmRequiredLimit: 50_00)
        kernel.makeKey = { _ in key }
        kernel.relayResistance = RelayResistanceLimits()
        kernel.envelopesToRead = [1, 2]
        kernel.envelopesToWrite = [try #require(.init(number: 10, value: Array("WRITTEN BY THE TERMINAL".utf8)))]
        let authority = CAPublicKey(
            rid: try [UInt8](hex: session.authority.rid),
            index: try #require([UInt8](hex: session.authority.index).first),
            key: .ellipticCurve(
                try ECPublicKey(suite.curve, x: [UInt8](hex: session.authority.x)), suite == .p256 ? .p256 : .p521),
            isTest: true)
        let terminal = TerminalConfiguration(
            type: .attendedOnlineWithOfflineCapability, capabilities: [.contactChip, .signature],
            additionalCapabilities: [],
            countryCode: 276, applications: [], caKeys: [authority])
        var entryPoint = EntryPoint(
            EntryPointConfiguration(
                terminal: terminal,
                combinations: [
                    Combination(
                        aid: [0xF0, 0x00, 0x00, 0x00, 0x01, 0x00, 0x08], limits: TransactionLimits(), kernel: kernel)
                ]),
            request: TransactionRequest(
                amount: 12_34, currencyCode: 978, date: [0x26, 0x03, 0x09], time: [0x12, 0x00, 0x00]),
            environment: FixedEnvironment(number: [0x4B, 0x38, 0x4B, 0x38], percentage: 50))
        var step = entryPoint.start()
        var rest = session.exchanges[...]
        while true {
            switch step.action {
            case .poll: step = entryPoint.next(.cardPresent)
            case .waitForEmptyField: step = entryPoint.next(.fieldEmpty)
            case .transmit(let command):
                let next = rest.popFirst()
                let exchange = try #require(next)
                try #require(command.bytes.hex == exchange.command)
                let answer = try #require(ResponseAPDU(bytes: [UInt8](hex: exchange.answer)))
                step = entryPoint.next(.answered(answer, after: .milliseconds(7)))
            case .end(let outcome):
                #expect(rest.isEmpty)
                #expect(outcome.status == .approved)
                #expect(outcome.data?[.issuerApplicationDataMAC]?.hex == session.local.IADMAC)
                #expect(outcome.data?[.issuerApplicationData]?.hex == session.local.issuerApplicationData)
                #expect(outcome.data?[.applicationCryptogram]?.hex == session.local.applicationCryptogram)
                #expect(outcome.discretionaryData[.writeDataStatus] == [0x80])
                #expect(outcome.discretionaryData[.readDataStatus] == [0x80])
                return
            }
        }
    }
}
