import Bytes
internal import CDeviceIO

/// A connection to the PC/SC service, with at most one card. It must be used by one thread; only
/// ``cancel()`` may be called from another thread, which the service allows. For that reason it is
/// Sendable; its owner is an actor.
@safe
public final class PCSCContext: @unchecked Sendable {
    /// As distributions install it.
    public static let library = "libpcsclite.so.1"

    /// States of a reader, SCARD_STATE of PC/SC part 5.
    public struct State: OptionSet, Sendable, Hashable {
        public let rawValue: UInt32
        public init(rawValue: UInt32) { self.rawValue = rawValue }
        public static let unknown = Self(rawValue: 0x04)
        public static let empty = Self(rawValue: 0x10)
        public static let present = Self(rawValue: 0x20)
        public static let exclusive = Self(rawValue: 0x80)
        public static let mute = Self(rawValue: 0x200)
    }

    /// A card that this program uses exclusively.
    public struct Card: Sendable, Equatable {
        /// SCARD_PROTOCOL: 1 for T=0, 2 for T=1.
        public let protocolCode: UInt32
        public let answerToReset: [UInt8]
    }

    private let context: OpaquePointer

    /// - Parameter library: A name for dlopen(3).
    public init(library: String = PCSCContext.library) throws(PCSCError) {
        var opened: OpaquePointer?
        let code = unsafe cdio_pcsc_open(library, &opened)
        guard code == 0, let opened = unsafe opened else { throw PCSCError(code) }
        unsafe context = opened
    }

    deinit { unsafe cdio_pcsc_close(context) }

    /// The names of the readers of the service.
    public func readers() throws(PCSCError) -> [String] {
        var names = [CChar](repeating: 0, count: 16384)
        var length = 0
        let code = unsafe cdio_pcsc_readers(context, &names, names.count, &length)
        if PCSCError(code) == .noReader { return [] }
        try Self.check(code)
        return names.prefix(length).split(separator: 0).map {
            String(decoding: $0.map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
    }

    /// Waits until the reader's state differs from `state`, and returns the new state.
    public func state(of reader: String, otherThan state: State = [], for duration: Duration) throws(PCSCError) -> State
    {
        var raw = state.rawValue
        let (seconds, attoseconds) = duration.components
        try Self.check(
            unsafe cdio_pcsc_wait(
                context, reader, UInt32(clamping: seconds * 1000 + attoseconds / 1_000_000_000_000_000), &raw))
        return State(rawValue: raw)
    }

    /// Ends a wait in progress, but not a later one.
    public func cancel() { unsafe cdio_pcsc_cancel(context) }

    public func connect(_ reader: String) throws(PCSCError) -> Card {
        var protocolCode: UInt32 = 0
        var length = 0
        var bytes = [UInt8](repeating: 0, count: Int(CDIO_PCSC_ATR))
        try Self.check(unsafe cdio_pcsc_connect(context, reader, &protocolCode, &bytes, &length))
        return Card(protocolCode: protocolCode, answerToReset: Array(bytes.prefix(length)))
    }

    public func transmit(_ command: [UInt8], to card: Card) throws(PCSCError) -> [UInt8] {
        var answer = [UInt8](repeating: 0, count: Int(CDIO_PCSC_LONGEST))
        defer { wipe(&answer) }
        var length = 0
        try Self.check(
            unsafe cdio_pcsc_transmit(
                context, card.protocolCode, command, command.count, &answer, answer.count, &length))
        return Array(answer.prefix(length))
    }

    /// The control codes of the features that the reader's driver has, by their tags (PC/SC part
    /// 10, 2.2: CM_IOCTL_GET_FEATURE_REQUEST).
    public func features() throws(PCSCError) -> [UInt8: UInt32] {
        var rest = try control(Self.controlCode(3400), [])[...]
        var found: [UInt8: UInt32] = [:]
        while rest.count >= 6 {
            let entry = rest.prefix(6)
            rest = rest.dropFirst(6)
            guard entry[entry.startIndex + 1] == 4 else { break }
            found[entry[entry.startIndex]] = entry.suffix(4).reduce(0) { $0 << 8 | UInt32($1) }
        }
        return found
    }

    /// Sends a request to the reader's driver. It cannot be ended before the driver answers.
    public func control(_ code: UInt32, _ request: [UInt8]) throws(PCSCError) -> [UInt8] {
        var answer = [UInt8](repeating: 0, count: 512)
        defer { wipe(&answer) }
        var length = 0
        try Self.check(unsafe cdio_pcsc_control(context, code, request, request.count, &answer, answer.count, &length))
        return Array(answer.prefix(length))
    }

    /// SCARD_CTL_CODE of pcsclite.
    private static func controlCode(_ number: UInt32) -> UInt32 { 0x4200_0000 + number }

    public func disconnect() { _ = unsafe cdio_pcsc_disconnect(context) }

    private static func check(_ code: UInt32) throws(PCSCError) {
        if code != 0 { throw PCSCError(code) }
    }
}
