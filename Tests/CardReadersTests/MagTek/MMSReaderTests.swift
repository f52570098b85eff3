import Bytes
import CardCryptography
import DeviceIO
import EMVKernel
import SmartCard
import Synchronization
import TLV
import Testing

@testable import CardCapture
@testable import CardReaders

/// The driver against a DynaFlex that answers as the test says.
@Suite(.serialized) struct MMSReaderTests {
    private let request = CaptureRequest(amount: 12_34, currencyCode: 978, sequenceCounter: 1)

    /// What the emulated device does with each request: its response's status (nil for none), then
    /// what it tells.
    private typealias Device = @Sendable (MMSMessage) -> (status: [UInt8]?, notifications: [MMSMessage])

    private static let ok: [UInt8] = [0, 0, 0, 0]
    private static func outcome(_ detail: [UInt8]) -> MMSMessage { MMSSample.notification(0x0105, detail) }

    /// A chip card whose transaction goes online and ends as `outcome`.
    private static func chip(_ detail: [UInt8] = [0x10, 0x02, 0x06, 0x00]) throws -> Device {
        let data = try MMSSample.cardData()
        return { request in
            switch request.code {
            case MMSCommand.startTransaction:
                (
                    ok,
                    [
                        MMSSample.notification(0x0101, [0x10, 1, 2, 0]),
                        MMSSample.notification(0x0101, [0x10, 8, 2, 2], data),
                    ]
                )
            case MMSCommand.resumeTransaction: (ok, [outcome(detail)])
            default: (ok, [])
            }
        }
    }

    private static func replies(_ bytes: [UInt8], _ device: Device) -> [MMSMessage] {
        guard let request = try? MMSMessage(parsing: bytes) else { return [] }
        let (status, notifications) = device(request)
        let response = status.map {
            MMSMessage(.response, reference: request.reference, code: request.code, status: $0)
        }
        return [response].compactMap { $0 } + notifications
    }

    private static func reports() throws -> HIDReportDescriptor {
        try HIDReportDescriptor(parsing: [UInt8](hex: "0600FF0920A101750895400920810209209102C0"))
    }

    private func reader(_ devices: EmulatedDevice...) throws -> MMSReader {
        let bus = EmulatedBus(devices)
        let reports = try Self.reports()
        return try MMSReader(name: "DynaFlex") { cancel throws(DeviceError) in
            MMSLink(EmulatedReports(try bus.next(), cancel, reports: reports))
        }
    }

    /// Puts the driver's packets together, and answers in packets.
    private func serve(_ emulated: EmulatedDevice, _ device: @escaping Device) {
        let assembler = Mutex(MMSPackets.Assembler())
        emulated.serve { packet in
            let message = assembler.withLock { assembler -> [UInt8]? in
                guard let taken = try? assembler.take(packet) else { return nil }
                return taken
            }
            guard let message else { return [] }
            return Self.replies(message, device).flatMap { MMSPackets.packets($0.bytes) }
        }
    }

    private func approved(_ card: CapturedCard) -> IssuerAnswer {
        .answered(IssuerAnswer.Answer(responseCode: "00", issuerAuthenticationData: [1, 2, 3, 4, 5, 6, 7, 8]))
    }

    @Test func aChipCard() async throws {
        let emulated = try EmulatedDevice(.packets)
        let seen = Mutex<[MMSMessage]>([])
        let device = try Self.chip()
        serve(emulated) { request in
            seen.withLock { $0.append(request) }
            return device(request)
        }
        let reader = try reader(emulated)
        var events = reader.events.stream().makeAsyncIterator()
        let outcome = try await reader.capture(request) { card in
            #expect(card.entryMode == .chip)
            #expect(card.maskedPAN == "4761********0119")
            return approved(card)
        }
        #expect(outcome.decision == .approvedOnline)
        #expect(outcome.card?.encryptedTracks?.template?.count == 64)
        #expect(await events.next() == .connected)
        #expect(await events.next() == .cardPresented(.contact))

        let requests = seen.withLock { $0 }
        #expect(requests.map(\.code) == [0x1001, 0x1004])
        // EMV flow, not quick chip; 12.34 EUR.
        #expect(requests[0].payload.hex.contains("84020002"))
        #expect(
            requests[0].payload.hex.contains("9F0206000000001234" + "9F0306000000000000" + "5F2A020978" + "5F360102"))
        #expect(requests[1].payload.hex.contains("DFDF2508992690E116120710"))
        #expect(requests[1].payload.hex.contains("8A023030" + "91080102030405060708"))
    }

    /// With keys the number is there for hosts that want it; with the wrong ones the transaction is
    /// cancelled at the device.
    @Test("with its keys the card number is decrypted") func keys() async throws {
        let ciphertext = try MMSSample.sealed { template in
            template.append(0x5A, [0x47, 0x61, 0x73, 0x90, 0x01, 0x01, 0x01, 0x19])
            template.append(0x5F24, [0x49, 0x12, 0x31])
        }
        let data = try MMSSample.cardData(ciphertext: ciphertext)
        let other = try TDESKey(SecretBytes([UInt8](repeating: 0x31, count: 16)))
        let reports = try Self.reports()
        for (key, isRight) in [(try MMSSample.baseKey(), true), (other, false)] {
            let emulated = try EmulatedDevice(.packets)
            let codes = Mutex<[UInt16]>([])
            serve(emulated) { request in
                codes.withLock { $0.append(request.code) }
                switch request.code {
                case MMSCommand.startTransaction:
                    return (Self.ok, [MMSSample.notification(0x0101, [0x10, 8, 2, 2], data)])
                case MMSCommand.resumeTransaction: return (Self.ok, [Self.outcome([0x10, 0x02, 0x06, 0x00])])
                default: return (Self.ok, [])
                }
            }
            let reader = try MMSReader(name: "DynaFlex", decryption: SwipeDecryption([.tdesBase(key)])) {
                cancel throws(DeviceError) in
                MMSLink(EmulatedReports(emulated, cancel, reports: reports))
            }
            if isRight {
                let outcome = try await reader.capture(request, authorize: approved)
                #expect(outcome.card?.pan == SecretBytes("4761739001010119".utf8))
                #expect(codes.withLock { $0 } == [0x1001, 0x1004])
            } else {
                await #expect(throws: CaptureError.swipeDecryption(.wrongKey)) {
                    _ = try await reader.capture(request, authorize: approved)
                }
                #expect(codes.withLock { $0 } == [0x1001, 0x1008])
            }
        }
    }

    @Test(
        arguments: [
            ([0x10, 0x02, 0x80, 0x00], CaptureOutcome.Decision.declinedOnline, true),
            ([0x10, 0x02, 0x06, 0x01], .approvedOnline, false),
            ([0x10, 0x02, 0x07, 0x00], .approvedOnline, false),
        ] as [([UInt8], CaptureOutcome.Decision, Bool)])
    func approvedByTheIssuer(_ detail: [UInt8], _ decision: CaptureOutcome.Decision, _ reversal: Bool) async throws {
        let emulated = try EmulatedDevice(.packets)
        serve(emulated, try Self.chip(detail))
        let outcome = try await reader(emulated).capture(request, authorize: approved)
        #expect(outcome.decision == decision)
        #expect(outcome.requiresReversal == reversal)
        #expect(outcome.requiresSignature == (detail[3] == 1))
    }

    /// A device that approves although the issuer did not is not believed.
    @Test func approvalWithoutTheIssuers() async throws {
        let emulated = try EmulatedDevice(.packets)
        serve(emulated, try Self.chip())
        let outcome = try await reader(emulated).capture(request) { _ in
            .answered(IssuerAnswer.Answer(responseCode: "05"))
        }
        #expect(outcome.decision == .declinedOnline)
    }

    @Test("Without the host the device declines") func unreachableHost() async throws {
        let emulated = try EmulatedDevice(.packets)
        serve(emulated, try Self.chip([0x10, 0x02, 0x80, 0x00]))
        let outcome = try await reader(emulated).capture(request) { _ in .unreachable }
        #expect(outcome.decision == .declinedOffline)
        #expect(!outcome.requiresReversal)
    }

    @Test(
        arguments: [
            ([0x00, 0x01, 0x00, 0x00], CaptureError.noCardPresented), ([0x00, 0x03, 0x02, 0x00], .cancelled),
        ] as [([UInt8], CaptureError)])
    func nothingCameAbout(_ detail: [UInt8], _ error: CaptureError) async throws {
        let emulated = try EmulatedDevice(.packets)
        serve(emulated) { _ in (Self.ok, [Self.outcome(detail)]) }
        await #expect(throws: error) { _ = try await reader(emulated).capture(request, authorize: approved) }
    }

    @Test("a chip failure leads to the stripe") func fallback() async throws {
        let emulated = try EmulatedDevice(.packets)
        serve(emulated) { _ in (Self.ok, [Self.outcome([0x10, 0x02, 0x08, 0x03])]) }
        let outcome = try await reader(emulated).capture(request, authorize: approved)
        #expect(outcome.decision == .notPossible(.chipNotReadable))
        #expect(outcome.fallback == Fallback(.technical, entryMode: .stripeAfterChip))
    }

    @Test(
        "a tap that fails never leads to the stripe",
        arguments: [
            ([0x20, 0x02, 0x08, 0x03], CaptureOutcome.Obstacle.cardNotReadable),
            ([0x20, 0x02, 0x09, 0x03], .tapNotPossible),
            ([0x20, 0x02, 0x09, 0x00], .cardNotReadable),
        ] as [([UInt8], CaptureOutcome.Obstacle)])
    func failedTaps(_ detail: [UInt8], _ obstacle: CaptureOutcome.Obstacle) async throws {
        let emulated = try EmulatedDevice(.packets)
        serve(emulated) { _ in (Self.ok, [Self.outcome(detail)]) }
        let outcome = try await reader(emulated).capture(request, authorize: approved)
        #expect(outcome.decision == .notPossible(obstacle))
        #expect(outcome.fallback == nil)
    }

    @Test("Late responses to earlier requests, and notifications before the response, do not confuse it")
    func staleReferences()
        async throws
    {
        let emulated = try EmulatedDevice(.packets)
        let device = try Self.chip()
        let assembler = Mutex(MMSPackets.Assembler())
        emulated.serve { packet in
            let message = assembler.withLock { assembler -> [UInt8]? in
                guard let taken = try? assembler.take(packet) else { return nil }
                return taken
            }
            guard let message else { return [] }
            var replies = Self.replies(message, device)
            // The response comes last, and a refusal of something else first.
            replies.append(replies.removeFirst())
            let stale = MMSMessage(.response, reference: 0x77, code: 0x1001, status: [0x80, 2, 3, 8])
            return ([stale] + replies).flatMap { MMSPackets.packets($0.bytes) }
        }
        #expect(try await reader(emulated).capture(request, authorize: approved).decision == .approvedOnline)
    }

    @Test(
        "each refusal of the device has its message",
        arguments: [
            ([0x80, 2, 3, 0x16], .lowBattery),
            ([0x80, 2, 3, 8], .transactionInProgress),
            ([0x80, 9, 9, 9], .status("090909")),
        ] as [([UInt8], DeviceError.Refusal)])
    func refusals(_ status: [UInt8], _ refusal: DeviceError.Refusal) async throws {
        let emulated = try EmulatedDevice(.packets)
        serve(emulated) { _ in (status, []) }
        await #expect(throws: CaptureError.readerFailed(.driver(DeviceError.rejected(refusal)))) {
            _ = try await reader(emulated).capture(request, authorize: approved)
        }
    }

    @Test("Cancelled while it waits for a card: the device cancels too, and the next transaction runs")
    func cancelling() async throws {
        let emulated = try EmulatedDevice(.packets)
        let codes = Mutex<[UInt16]>([])
        let (starts, started) = AsyncStream<Void>.makeStream()
        let device = try Self.chip()
        serve(emulated) { request in
            let isFirst = codes.withLock { codes in
                codes.append(request.code)
                return codes.count == 1
            }
            guard isFirst else { return device(request) }
            started.yield()
            return (Self.ok, [])
        }
        let reader = try reader(emulated)
        let task = Task { try await reader.capture(request, authorize: approved) }
        for await _ in starts { break }
        task.cancel()
        await #expect(throws: CaptureError.cancelled) { _ = try await task.value }
        #expect(try await reader.capture(request, authorize: approved).decision == .approvedOnline)
        #expect(codes.withLock { $0 } == [0x1001, 0x1008, 0x1001, 0x1004])
    }

    @Test func onlyOneAtATime() async throws {
        let emulated = try EmulatedDevice(.packets)
        serve(emulated, try Self.chip())
        let reader = try reader(emulated)
        let outcome = try await reader.capture(request) { card in
            await #expect(throws: CaptureError.readerFailed(.busy)) {
                _ = try await reader.capture(request, authorize: approved)
            }
            return approved(card)
        }
        #expect(outcome.decision == .approvedOnline)
    }

    /// A task that is cancelled while the host is asked does not lose what the host says: the
    /// device gets the answer.
    @Test func cancelledWhileTheHostIsAsked() async throws {
        let emulated = try EmulatedDevice(.packets)
        let codes = Mutex<[UInt16]>([])
        let device = try Self.chip()
        serve(emulated) { request in
            codes.withLock { $0.append(request.code) }
            return device(request)
        }
        let reader = try reader(emulated)
        let (asked, ask) = AsyncStream<Void>.makeStream()
        let task = Task {
            try await reader.capture(request) { card in
                ask.yield()
                while !Task.isCancelled { await Task.yield() }
                return approved(card)
            }
        }
        for await _ in asked { break }
        task.cancel()
        #expect(try await task.value.decision == .approvedOnline)
        #expect(codes.withLock { $0 } == [0x1001, 0x1004])
    }

    /// While it waits for a card a second transaction is refused at once, and closing it ends the
    /// wait.
    @Test func oneUseAtATime() async throws {
        let (first, second) = (try EmulatedDevice(.packets), try EmulatedDevice(.packets))
        let (starts, started) = AsyncStream<Void>.makeStream()
        serve(first) { request in
            if request.code == MMSCommand.startTransaction { started.yield() }
            return (Self.ok, [])
        }
        serve(second, try Self.chip())
        let reader = try reader(first, second)
        let task = Task { try await reader.capture(request, authorize: approved) }
        for await _ in starts { break }
        await #expect(throws: DeviceClaim.captureRefusal) { _ = try await reader.capture(request, authorize: approved) }
        await reader.close()
        await #expect(throws: CaptureError.cancelled) { _ = try await task.value }
        #expect(try await reader.capture(request, authorize: approved).decision == .approvedOnline)
    }

    @Test("BCD n 12 holds no more (EMV 4.4 Book 3, annex A, tag 9F02)") func longAmounts() async throws {
        let long = CaptureRequest(amount: 1_000_000_000_000, currencyCode: 978, sequenceCounter: 1)
        await #expect(throws: CaptureError.amountTooLong) {
            _ = try await reader(EmulatedDevice(.packets)).capture(long, authorize: approved)
        }
    }

    /// The device approves offline and hands on no card: nobody could settle it.
    @Test func approvedWithoutACard() async throws {
        for detail: [UInt8] in [[0x10, 0x02, 0x02, 0x00], [0x10, 0x02, 0x06, 0x00]] {
            let emulated = try EmulatedDevice(.packets)
            serve(emulated) { _ in (Self.ok, [Self.outcome(detail)]) }
            let outcome = try await reader(emulated).capture(request, authorize: approved)
            #expect(outcome.decision == .notPossible(.noCardData))
        }
    }

    @Test("The device approves by itself although the issuer was to be asked, and could not be") func forcesOnline()
        async throws
    {
        var forced = request
        forced.forcesOnline = true
        let emulated = try EmulatedDevice(.packets)
        serve(emulated, try Self.chip([0x10, 0x02, 0x02, 0x00]))
        let outcome = try await reader(emulated).capture(forced) { _ in .unreachable }
        #expect(
            outcome.decision == .notPossible(.approvedOffline))
    }

    @Test func unpluggedAtEveryStep() async throws {
        for step in 0..<2 {
            let (first, second) = (try EmulatedDevice(.packets), try EmulatedDevice(.packets))
            let device = try Self.chip()
            let count = Mutex(0)
            serve(first) { request in
                let isOver = count.withLock { count in
                    count += 1
                    return count > step
                }
                guard isOver else { return device(request) }
                first.unplug()
                return (nil, [])
            }
            serve(second, device)
            let reader = try reader(first, second)
            await #expect(throws: CaptureError.readerFailed(.driver(DeviceError.disconnected))) {
                _ = try await reader.capture(request, authorize: approved)
            }
            #expect(try await reader.capture(request, authorize: approved).decision == .approvedOnline)
        }
    }

    @Test("The same over a serial line") func overALine() async throws {
        let emulated = try EmulatedDevice(.stream)
        let device = try Self.chip()
        let collected = Mutex<[UInt8]>([])
        emulated.serve { bytes in
            // The host's direction byte, which the assembler of the device's messages does not
            // take, is turned round.
            let frames = collected.withLock { collected -> [[UInt8]] in
                collected += bytes
                guard collected.filter({ $0 == 0xC0 }).count >= 2 else { return [] }
                defer { collected = [] }
                var frame = collected
                frame[1] = 0x02
                return [frame]
            }
            return frames.flatMap { frame -> [[UInt8]] in
                var assembler = MMSLine.Assembler()
                var message: [UInt8] = []
                for byte in frame {
                    guard let taken = try? assembler.take(byte) else { continue }
                    message = taken
                }
                return Self.replies(message, device).map { MMSLine.frame($0.bytes, fromHost: false) }
            }
        }
        let reader = try MMSReader(name: "DynaFlex") { cancel throws(DeviceError) in
            MMSLink(EmulatedLine(emulated, cancel))
        }
        #expect(try await reader.capture(request, authorize: approved).decision == .approvedOnline)
    }
}
