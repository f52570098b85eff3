import Bytes
package import CardCapture
package import DeviceIO
package import MagneticStripe

/// A stripe reader and writer of the MSR605 type: MSR605, MSR606 and MSR206 over a serial line,
/// MSR605X over USB HID.
///
/// By default it only reads. Writing must be allowed in the options, because it can also copy
/// cards.
package final class MSR605: SwipeSource {
    /// The MSR605 itself is connected to a serial adapter of any maker, and is opened by its path.
    package static let models = [ReaderModel(.hid, vendor: 0x0801, product: 0x0003, name: "MSR605X")]

    /// 9600 bits per second, eight bits, no parity.
    package static let line = SerialLine(rate: 9600)

    package struct Options: Sendable {
        /// Whether to read raw codes and decode them here, in both swipe directions; otherwise the
        /// reader decodes.
        package var readsRaw = true
        package var allowsWriting = false
        package init(readsRaw: Bool = true, allowsWriting: Bool = false) {
            self.readsRaw = readsRaw
            self.allowsWriting = allowsWriting
        }

        package var capabilities: ReaderCapabilities {
            allowsWriting ? [.magneticStripe, .writesMagstripes] : .magneticStripe
        }
    }

    package enum Coercivity: Sendable {
        case high
        case low
    }

    private let transport: any ByteTransport
    private let options: Options
    private var isKnown = false

    /// The time limit for a complete answer once it has begun: 400 bytes take less than half a
    /// second.
    private static let timeout = Duration.seconds(2)

    package init(_ transport: any ByteTransport, options: Options = Options()) {
        self.transport = transport
        self.options = options
    }

    /// Stops any operation of the reader. The first call also checks that it is such a reader.
    package func prepare() throws(DeviceError) {
        try stop()
        guard !isKnown else { return }
        try send(.communicationTest)
        guard try answer(2) == [MSR605Command.escape, 0x79] else { throw .malformed(.msr605Answer, .unexpected) }
        isKnown = true
    }

    package func nextSwipe() throws(DeviceError) -> CapturedSwipe {
        try send(options.readsRaw ? .readRaw : .read)
        var bytes: [UInt8] = []
        defer { wipe(&bytes) }
        var deadline = Deadline.never
        while true {
            try deadline.check()
            var more = try transport.read(atMost: MSR605Swipe.longest, by: deadline)
            bytes.append(wiping: &more)
            if deadline == .never { deadline = .after(Self.timeout) }
            guard let swipe = try MSR605Swipe.parse(bytes, raw: options.readsRaw) else { continue }
            switch swipe.status {
            case .done, .readWriteError, .badSwipe: return CapturedSwipe(tracks: swipe.tracks)
            case .malformedCommand, .unknownCommand: throw .rejected(.commandNotSupported)
            }
        }
    }

    /// The reader waits for a card until it is reset.
    package func standDown() throws(DeviceError) { try stop() }

    package func firmwareVersion() throws(DeviceError) -> String {
        try send(.firmwareVersion)
        var bytes = try answer(2)
        guard bytes.first == MSR605Command.escape else { throw .malformed(.msr605Version, .invalid) }
        // The length depends on the maker.
        while bytes.count < 32, let more = try? transport.read(atMost: 32, by: .after(.milliseconds(100))) {
            bytes += more
        }
        return String(decoding: bytes.dropFirst().filter { (0x20...0x7E).contains($0) }, as: UTF8.self)
    }

    /// Writes the next stripe that is swiped; tracks that are not given remain unchanged.
    ///
    /// - Throws: ``DeviceError/rejected(_:)`` if writing is not allowed, or a text does not fit its
    ///   track.
    package func write(_ tracks: [TrackNumber: TrackText], _ coercivity: Coercivity, by deadline: Deadline)
        throws(DeviceError)
    {
        guard options.allowsWriting else { throw .rejected(.readOnly) }
        var runs: [[UInt8]] = []
        defer { for index in runs.indices { wipe(&runs[index]) } }
        for track in TrackNumber.allCases {
            guard let text = tracks[track] else {
                runs.append([])
                continue
            }
            guard let codes = text.codes(for: track) else { throw .rejected(.trackNotWritable(track.rawValue)) }
            runs.append(codes)
        }
        try send(coercivity == .high ? .highCoercivity : .lowCoercivity)
        guard try answer(2) == [MSR605Command.escape, MSR605Status.done.rawValue] else {
            throw .rejected(.coercivityNotSupported)
        }
        var command = try MSR605Command.writeRaw(runs).bytes
        defer { wipe(&command) }
        try transport.write(command, by: .after(Self.timeout))
        let status = try transport.read(exactly: 2, by: deadline)
        guard status.first == MSR605Command.escape, let code = MSR605Status(rawValue: status[1]) else {
            throw .malformed(.msr605Status, .invalid)
        }
        guard code == .done else { throw .rejected(.stripeNotWritten) }
    }

    private func stop() throws(DeviceError) {
        try send(.reset)
        try transport.drain(silence: .milliseconds(50))
    }

    private func send(_ command: MSR605Command) throws(DeviceError) {
        try transport.write(command.bytes, by: .after(Self.timeout))
    }

    private func answer(_ count: Int) throws(DeviceError) -> [UInt8] {
        try transport.read(exactly: count, by: .after(Self.timeout))
    }
}

extension TrackText {
    /// The codes of a whole track: start sentinel, characters, end sentinel, redundancy check; nil
    /// if the text does not fit the track.
    fileprivate func codes(for track: TrackNumber) -> [UInt8]? {
        guard track.codes[0] == code, characters.count + 3 <= track.capacity(code) else { return nil }
        var text = [code.startSentinel] + characters.revealed() + [code.endSentinel]
        defer { wipe(&text) }
        guard text.dropFirst().dropLast().allSatisfy({ $0 != code.startSentinel && $0 != code.endSentinel }) else {
            return nil
        }
        let codes = text.compactMap { code.code(for: $0) }
        guard codes.count == text.count else { return nil }
        return codes + [code.redundancyCheck(codes)]
    }
}

package typealias MSR605Reader = MagstripeDriver<MSR605>

extension MagstripeDriver where Source == MSR605 {
    /// - Parameter path: Such as `/dev/ttyUSB0`.
    package init(serialPort path: String, options: MSR605.Options = MSR605.Options()) throws(DeviceError) {
        try self.init(name: "MSR605", capabilities: options.capabilities) { cancel throws(DeviceError) in
            MSR605(try SerialPort(path: path, line: MSR605.line, cancel: cancel), options: options)
        }
    }

    /// - Parameter path: The path of an MSR605X, such as `/dev/hidraw0`.
    package init(hid path: String, options: MSR605.Options = MSR605.Options()) throws(DeviceError) {
        try self.init(name: "MSR605X", capabilities: options.capabilities) { cancel throws(DeviceError) in
            MSR605(MSR605XStream(try HIDDevice(path: path, cancel: cancel)), options: options)
        }
    }
}

extension ReaderFamily {
    /// Readers and writers of stripes, MSR605 and MSR605X.
    public static let msr605 = ReaderFamily(
        magstripe: "MSR605", models: MSR605.models, capabilities: MSR605.Options().capabilities
    ) { opening throws(DeviceError) in
        opening.isHID ? try MSR605Reader(hid: opening.path) : try MSR605Reader(serialPort: opening.path)
    }
}

extension DeviceError.Message {
    package static let msr605Answer = Self("MSR605 answer")
    package static let msr605Version = Self("MSR605 version")
    package static let msr605Status = Self("MSR605 status")
    package static let msr605Track = Self("MSR605 track")
    package static let msr605Report = Self("MSR605X report")
}
