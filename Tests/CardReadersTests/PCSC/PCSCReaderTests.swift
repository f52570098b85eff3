import DeviceIO
import EMVKernel
import SmartCard
import Testing
import VirtualCard

@testable import CardCapture
@testable import CardReaders

/// Readers through PC/SC, against a library that behaves as libpcsclite does.
@Suite(.serialized) struct PCSCReaderTests {
    private static let name = "Fake reader 00 00"
    private static let command = CommandAPDU(ins: 0xA4, p1: 4, data: [0xA0, 0x01], expectedLength: 256)

    @Test("The readers of the service are listed") func listsReaders() throws {
        let fake = try FakePCSC()
        #expect(try PCSCReader.names(library: fake.path) == [Self.name, "Other reader  01 00"])
        fake.fault(.list, 0x8010_002E)
        #expect(try PCSCReader.names(library: fake.path) == [])
        fake.fault(.list, 0x8010_0013)
        #expect(throws: PCSCError.other(0x8010_0013)) { try PCSCReader.names(library: fake.path) }
    }

    @Test("a reader is reached by the name that is shown, whatever the service calls it") func shownName() async throws
    {
        let fake = try FakePCSC()
        #expect(try await PCSCReader(name: "Other reader  01 00", library: fake.path).isEmpty())
        await #expect(throws: CaptureError.self) {
            try await PCSCReader(name: "No reader", library: fake.path).isEmpty()
        }
    }

    @Test(
        "Without the service, the error says why",
        arguments: [
            (0x8010_001D, .noService), (0x8010_006A, .accessDenied), (0x8010_0006, .other(0x8010_0006)),
        ] as [(UInt, PCSCError)])
    func noService(_ code: UInt, _ expected: PCSCError) throws {
        let fake = try FakePCSC()
        fake.fault(.establish, code)
        #expect(throws: expected) { try PCSCReader(name: Self.name, library: fake.path) }
    }

    @Test("Without the library, there is no PC/SC") func noLibrary() {
        #expect(throws: PCSCError.noLibrary) { try PCSCReader.names(library: "libthat-is-not-there.so.1") }
        // A library that is there and is not one of PC/SC.
        #expect(throws: PCSCError.noLibrary) { try PCSCReader.names(library: "libc.so.6") }
    }

    @Test(
        "Whole sales, with both protocols: T=0 as TPDUs, since that is what readers behind PC/SC may take",
        arguments: [1, 2] as [UInt])
    func sale(_ protocolCode: UInt) async throws {
        let bench = try SaleBench.shared.get()
        let fake = try FakePCSC()
        let card = bench.fresh()
        let side = Kept(T0CardSide(card))
        fake.insert(protocolCode == 1 ? EmulatedCard.t0 : EmulatedCard.t1, protocolCode: protocolCode) { bytes in
            EmulatedReader.waiting {
                guard protocolCode == 1 else {
                    guard let command = CommandAPDU(bytes) else { return [0x67, 0x00] }
                    return (try? await card.transmit(command).bytes) ?? []
                }
                var zero = side.value
                let answer = (try? await zero.answer(bytes)) ?? []
                side.value = zero
                return answer
            }
        }
        let reader = try PCSCReader(name: Self.name, library: fake.path)
        #expect(try await bench.sell(reader).decision == .approvedOnline)
        #expect(!fake.isConnected)
        #expect(try await bench.sell(reader).decision == .approvedOnline)
    }

    @Test("a channel belongs to one activation of the card") func activation() async throws {
        let fake = try FakePCSC()
        let reader = try PCSCReader(name: Self.name, library: fake.path)
        await #expect(throws: CaptureError.noCardPresented) { _ = try await reader.activate() }
        fake.insert(EmulatedCard.t1, protocolCode: 2) { _ in [0x90, 0x00] }
        let first = try await reader.activate()
        #expect(first.answerToReset == EmulatedCard.t1)
        #expect(fake.isConnected)
        #expect(try await first.transmit(Self.command) == ResponseAPDU(status: .success))
        let second = try await reader.activate()
        await #expect(throws: CardChannelError.cardRemoved) { _ = try await first.transmit(Self.command) }
        #expect(try await second.transmit(Self.command) == ResponseAPDU(status: .success))
        fake.remove()
        await #expect(throws: CardChannelError.cardRemoved) { _ = try await second.transmit(Self.command) }
        #expect(!fake.isConnected)
        let other = try PCSCReader(name: "unknown", library: fake.path)
        await #expect(throws: CaptureError.readerFailed(.driver(PCSCError.noReader))) { _ = try await other.powerOn() }
    }

    @Test(
        "PC/SC's error codes, and the errors that they become",
        arguments: [
            (0x8010_0069, .cardRemoved), (0x8010_0068, .timedOut), (0x8010_0066, .timedOut), (0x8010_000A, .timedOut),
            (0x8010_0017, .readerFailed(.driver(PCSCError.noReader))),
            (0x8010_001E, .readerFailed(.driver(PCSCError.noService))),
            (0x8010_0016, .readerFailed(.driver(PCSCError.other(0x8010_0016)))),
        ] as [(UInt, CardChannelError)])
    func errorsOfTransmit(_ code: UInt, _ expected: CardChannelError) async throws {
        let fake = try FakePCSC()
        fake.insert(EmulatedCard.t1, protocolCode: 2) { _ in [0x90, 0x00] }
        let reader = try PCSCReader(name: Self.name, library: fake.path)
        let channel = try await reader.activate()
        fake.fault(.transmit, code)
        await #expect(throws: expected) { _ = try await channel.transmit(Self.command) }
        fake.insert(EmulatedCard.t1, protocolCode: 2) { _ in [0x90] }
        let short = try await reader.activate()
        await #expect(throws: CardChannelError.malformedAnswer(.noStatusWord)) {
            _ = try await short.transmit(Self.command)
        }
    }

    @Test func errorsOfConnect() async throws {
        let fake = try FakePCSC()
        fake.insert(EmulatedCard.t1, protocolCode: 2) { _ in [0x90, 0x00] }
        let reader = try PCSCReader(name: Self.name, library: fake.path)
        for (call, code, error) in [
            (.connect, 0x8010_000B, .inUse), (.connect, 0x8010_0066, .cardLost), (.status, 0x8010_0017, .noReader),
        ] as [(FakePCSC.Call, UInt, PCSCError)] {
            fake.fault(call, code)
            await #expect(throws: CaptureError.readerFailed(.driver(error))) { _ = try await reader.activate() }
            #expect(!fake.isConnected)
        }
        // Every error says what can be done, or what it was.
        #expect(PCSCError.inUse.description.contains("scdaemon"))
        #expect(PCSCError.noService.description.contains("systemctl start pcscd"))
    }

    /// PIN_VERIFY_STRUCTURE and PIN_MODIFY_STRUCTURE as PC/SC part 10, 2.5.2 and 2.5.3 lay them
    /// out: numbers of more than one byte low byte first.
    @Test("PINs are entered with the structures of PC/SC part 10") func pinPad() async throws {
        let fake = try FakePCSC()
        fake.insert(EmulatedCard.t1, protocolCode: 2) { _ in [0x90, 0x00] }
        let reader = try PCSCReader(name: Self.name, library: fake.path)
        let pad = PCSCPINPad(reader)
        await #expect(throws: CardChannelError.cardRemoved) { _ = try await pad.changePIN() }
        let channel = try await reader.activate()
        guard case .failed = try await pad.verifyOfflinePIN(.plaintext, triesLeft: nil, card: channel) else {
            Issue.record("a pad that is not there")
            return
        }
        #expect(fake.asked == [])
        fake.addPad()
        let status = StatusWord(rawValue: 0x63C2)
        let entry = try await pad.verifyOfflinePIN(.plaintext, triesLeft: nil, card: channel)
        guard case .answered(let answer) = entry else {
            Issue.record("the card's status was to be handed on")
            return
        }
        #expect(answer == status)
        let block: [UInt8] = [0x20, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]
        let verify: [UInt8] = [
            30, 30,  // bTimeOut, bTimeOut2
            0x89, 0x47, 0x04,  // bmFormatString, bmPINBlockString, bmPINLengthFormat
            12, 4,  // wPINMaxExtraDigit: most, least
            0x02, 0x01, 0x09, 0x04, 0x00,  // bEntryValidationCondition, bNumberMessage, wLangId, bMsgIndex
            0, 0, 0, 13, 0, 0, 0,  // bTeoPrologue, ulDataLength
        ]
        #expect(fake.asked == verify + [0x00, 0x20, 0x00, 0x80, 0x08] + block)
        #expect(try await pad.changePIN() == status)
        let change: [UInt8] = [
            30, 30, 0x89, 0x47, 0x04,
            0x00, 0x08,  // bInsertionOffsetOld, bInsertionOffsetNew
            12, 4, 0x03,  // wPINMaxExtraDigit, bConfirmPIN
            0x02, 0x03, 0x09, 0x04, 0, 1, 2,  // bEntryValidationCondition, bNumberMessage, wLangId, bMsgIndex1 to 3
            0, 0, 0, 21, 0, 0, 0,
        ]
        #expect(fake.asked == change + [0x00, 0x24, 0x00, 0x80, 0x10] + block + block)
        fake.fault(.control, 0x8010_0069)
        await #expect(throws: CardChannelError.cardRemoved) { _ = try await pad.changePIN() }
    }

    @Test("Waiting for a card ends with the card, or with the task") func waits() async throws {
        let fake = try FakePCSC()
        let reader = try PCSCReader(name: Self.name, library: fake.path)
        let cancelled = Task { try await reader.powerOn() }
        while fake.waits < 2 { await Task.yield() }
        cancelled.cancel()
        await #expect(throws: CaptureError.cancelled) { _ = try await cancelled.value }
        let before = fake.waits
        let task = Task { try await reader.powerOn() }
        while fake.waits < before + 2 { await Task.yield() }
        fake.insert(EmulatedCard.t1, protocolCode: 2) { _ in [0x90, 0x00] }
        #expect(try await task.value.transmit(Self.command) == ResponseAPDU(status: .success))
        await reader.powerOff()
        #expect(!fake.isConnected)
    }
}

private final class Kept<Value>: @unchecked Sendable {
    var value: Value
    init(_ value: Value) { self.value = value }
}
