import CardCapture
import CardReaders
import Console
import Contactless
import DeviceIO
import SmartCard

/// Measures how long a contactless reader's transport takes, without a card's part in it.
struct TapTiming {
    /// The command that is sent and answered.
    enum Loop: String, Encodable {
        /// GetFirmwareVersion, answered by the chip; no card is needed.
        case firmwareVersion
        /// `FF CA 00 00 00`, answered by the reader (PC/SC part 3, 3.2.2.1.3), which needs a card
        /// in its field.
        case cardIdentifier
    }

    struct Result {
        let reader: String
        let loop: Loop
        let timing: TransportTiming
    }

    let choice: ReaderChoice
    /// Whether the reader is one of the PC/SC service.
    let isThroughPCSC: Bool
    let count: Int

    func measured() async throws -> Result {
        if isThroughPCSC {
            let name = try choice.foundThroughPCSC()
            let reader = try PCSCReader(name: name, interface: .contactless)
            return try await measured(name, reader) { () async throws(CaptureError) in try await reader.activate() }
        }
        if let name = choice.named, name.family != .pn53x, name.family != .ccid { throw noField(name.family.name) }
        let found = try choice.found("contactless reader") { $0.family == .ccid || $0.family == .pn53x }
        guard case .chip(let slot) = try await found.open(interface: .contactless) else { throw noField(found.name) }
        if let reader = slot as? PN53xReader {
            let result = try await measured(found.name, .firmwareVersion) { try await reader.exchangeWithChip() }
            await reader.close()
            return result
        }
        guard let slot = slot as? CCIDSlot else { throw noField(found.name) }
        return try await measured(found.name, slot) { () async throws(CaptureError) in try await slot.activate() }
    }

    private func noField(_ name: String) -> InputError {
        InputError("\(name) has no field whose times can be measured: choose a contactless reader with --reader")
    }

    private func measured(
        _ name: String, _ slot: any CardSlot, activate: () async throws(CaptureError) -> any CardChannel
    ) async throws -> Result {
        let channel: any CardChannel
        do throws(CaptureError) {
            channel = try await activate()
        } catch .noCardPresented {
            throw InputError("no card is in the field of \(name): put one on it, and try again")
        }
        let command = CommandAPDU(cla: 0xFF, ins: 0xCA, expectedLength: 256)
        do {
            // Any answer has made the way.
            let result = try await measured(name, .cardIdentifier) { _ = try await channel.transmit(command) }
            await slot.powerOff()
            return result
        } catch {
            await slot.powerOff()
            throw error
        }
    }

    private func measured(_ name: String, _ loop: Loop, exchange: () async throws -> Void) async throws -> Result {
        // Opens the reader, and fills what is filled once.
        for _ in 0..<3 { try await exchange() }
        let progress = Progress(total: count)
        defer { progress.end() }
        let clock = ContinuousClock()
        var roundTrips: [Duration] = []
        for _ in 0..<count {
            try Task.checkCancellation()
            roundTrips.append(try await clock.measure { try await exchange() })
            progress.advance()
        }
        guard let timing = TransportTiming(roundTrips) else { throw InputError("--count is at least 1") }
        return Result(reader: name, loop: loop, timing: timing)
    }
}

// MARK: - Output

extension TapTiming.Result {
    /// Times in microseconds; the limits with the keys of the terminal's file, in units of 100 µs.
    struct Document: Encodable {
        struct Limits: Encodable {
            let minimumGracePeriod, maximumGracePeriod, expectedCommandTime, expectedResponseTime,
                accuracyThreshold: UInt16
        }

        let reader: String
        let loop: TapTiming.Loop
        let roundTrips: Int
        let fastest, p50, p99, slowest, accuracy: Int64
        let relayResistance: Limits
    }

    var document: Document {
        let limits = timing.limits
        return Document(
            reader: reader, loop: loop, roundTrips: timing.count, fastest: timing.fastest.microseconds,
            p50: timing.p50.microseconds, p99: timing.p99.microseconds, slowest: timing.slowest.microseconds,
            accuracy: timing.accuracy.microseconds,
            relayResistance: Document.Limits(
                minimumGracePeriod: limits.minimumGracePeriod, maximumGracePeriod: limits.maximumGracePeriod,
                expectedCommandTime: limits.expectedCommandTime, expectedResponseTime: limits.expectedResponseTime,
                accuracyThreshold: limits.accuracyThreshold))
    }

    func show(on console: Console) {
        let what = loop == .firmwareVersion ? "to the chip, without a card" : "to the reader, with a card in its field"
        print("\(reader): \(timing.count) round trips \(what)")
        console.table(
            ["fastest", "p50", "p99", "slowest", "accuracy"],
            [[timing.fastest, timing.p50, timing.p99, timing.slowest, timing.accuracy].map(\.milliseconds)])
        print("\nAccuracy is p99 less p50: a relay that adds less is not detected.")
        print("Relay resistance over this transport, in units of 100 µs (relayResistance, docs/terminal-file.md):")
        let limits = timing.limits
        let rows: [(String, String, UInt16, String)] = [
            ("DF8132", "minimumGracePeriod", limits.minimumGracePeriod, "the default, and p50 less the fastest"),
            ("DF8133", "maximumGracePeriod", limits.maximumGracePeriod, "the default, and the accuracy"),
            ("DF8134", "expectedCommandTime", limits.expectedCommandTime, "the default, and p50"),
            (
                "DF8135", "expectedResponseTime", limits.expectedResponseTime,
                "the default: it is compared with the card's own"
            ),
            ("DF8136", "accuracyThreshold", limits.accuracyThreshold, "the default, and the accuracy"),
        ]
        console.table(
            ["tag", "key", "value", "hex", "made of"], rows.map { [$0.0, $0.1, "\($0.2)", Self.hex($0.2), $0.3] })
    }

    private static func hex(_ value: UInt16) -> String {
        let digits = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }
}

extension Duration {
    fileprivate var microseconds: Int64 { components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000 }

    /// With two decimals.
    fileprivate var milliseconds: String {
        let hundredths = (microseconds + 5) / 10
        let fraction = hundredths % 100
        return "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction) ms"
    }
}
