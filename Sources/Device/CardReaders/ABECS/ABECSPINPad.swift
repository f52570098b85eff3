public import Bytes
import CardCapture
import DeviceIO
public import EMVKernel
public import SmartCard

/// PIN entry at an ABECS PIN pad. It enciphers PINs for the host under DUKPT (GPN), and sends a
/// plaintext PIN to the card in its own slot (CHP). It has no command for a PIN that is enciphered
/// for the card.
public struct ABECSPINPad: PINPad {
    private let reader: ABECSReader
    private let keyIndex: Int
    private let timeout: Duration

    /// - Parameters:
    ///   - keyIndex: The index of the TDES DUKPT key, 0 to 99, assigned by the acquirer.
    ///   - timeout: How long to wait for the PIN.
    public init(_ reader: ABECSReader, keyIndex: Int, timeout: Duration = .seconds(120)) {
        self.reader = reader
        self.keyIndex = keyIndex
        self.timeout = timeout
    }

    public func enterOnlinePIN(pan: SecretBytes, amount: UInt64, currencyCode: UInt16) async -> OnlinePINEntry {
        guard (0...99).contains(keyIndex), (2...19).contains(pan.count) else { return .failed }
        let command = ABECSCommand.encipheredPIN(keyIndex: keyIndex, pan: pan, message: reader.promptForPIN)
        let answer: ABECSAnswer
        do throws(CaptureError) {
            answer = try await reader.command(command, by: timeout)
        } catch {
            return error == .cancelled ? .cancelled : .failed
        }
        switch answer.status {
        case .ok: break
        case .cancelled, .timedOut: return .cancelled
        default: return .failed
        }
        // 16 hexadecimal digits of PIN block, then 20 of key serial number.
        guard let text = answer.blocks.first, text.count == 36,
            let bytes = try? [UInt8](hex: String(decoding: text, as: UTF8.self)), bytes.count == 18
        else { return .failed }
        return .entered(format: .iso0, pinBlock: Array(bytes.prefix(8)), ksn: Array(bytes.suffix(10)))
    }

    public func verifyOfflinePIN(
        _ form: OfflinePINForm, triesLeft: UInt8?, card: any CardChannel
    ) async throws(CardChannelError) -> OfflinePINEntry {
        guard case .plaintext = form else { return .failed }
        do throws(CardChannelError) {
            let verify = ABECSChipOperation.verifyPIN(header: [0x00, 0x20, 0x00, 0x80], message: reader.promptForPIN)
            return .answered(try await reader.exchange(.chip(verify)).status)
        } catch .cancelled {
            return .cancelled
        } catch {
            throw error
        }
    }
}

extension ABECSReader {
    nonisolated var promptForPIN: [String] { prompts.enterPIN }

    nonisolated func command(_ command: ABECSCommand, by limit: Duration) async throws(CaptureError) -> ABECSAnswer {
        try await claim.perform(orElse: DeviceClaim.captureRefusal) { cancellation async throws(CaptureError) in
            try await self.run(command, by: limit, cancellation)
        }
    }
}

extension ABECSCommand {
    /// GPN with one entry of 4 to 12 digits under TDES DUKPT (ABECS 2.12, 3.3.11).
    static func encipheredPIN(keyIndex: Int, pan: SecretBytes, message: [String]) -> ABECSCommand {
        var number = pan.revealed()
        defer { wipe(&number) }
        var block = Array("3".utf8) + decimal(keyIndex, 2) + [UInt8](repeating: 0x30, count: 32)
        block += decimal(number.count, 2) + number + [UInt8](repeating: 0x20, count: 19 - number.count)
        block += Array("10412".utf8) + Self.message(message)
        return ABECSCommand("GPN", blocks: [block])
    }
}
