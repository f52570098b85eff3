import Bytes
package import CardCapture
import CardCryptography
import DeviceIO
import SmartCard
import TLV

/// A file of a Miura PIN pad, such as its configuration `emv.cfg` (MPI API guide, "Configuration
/// files").
package struct MiuraFile: Sendable, Equatable {
    /// The maximum length of a name in bytes.
    package static let longestName = 64
    /// The maximum length of the contents in bytes: offsets and lengths have three bytes.
    package static let maximumSize = 0xFF_FFFF

    package let name: String
    package let contents: [UInt8]

    /// - Parameters:
    ///   - name: 1 to 64 letters, digits, `-`, `.` and `_` of ASCII.
    ///   - contents: 1 to 16,777,215 bytes.
    /// - Returns: Nil if the name or the contents are not allowed.
    package init?(name: String, contents: [UInt8]) {
        guard (1...Self.longestName).contains(name.utf8.count), name.wholeMatch(of: /[A-Za-z0-9._-]+/) != nil,
            (1...Self.maximumSize).contains(contents.count)
        else { return nil }
        self.name = name
        self.contents = contents
    }
}

extension MiuraReader {
    /// Replaces a file of the PIN pad, and compares its length and, if the PIN pad reports it, its
    /// MD5. The PIN pad uses the file from the next ``restart()`` on.
    ///
    /// If it is cancelled or fails, the PIN pad has a part of the file: load it again.
    ///
    /// - Parameter progress: Called with the part that is done, from 0 to 1.
    package nonisolated func load(_ file: MiuraFile, progress: @Sendable (Double) -> Void = { _ in })
        async throws(CaptureError)
    {
        try await claim.perform(orElse: DeviceClaim.captureRefusal) { cancellation async throws(CaptureError) in
            try await self.load(file, progress, cancellation)
        }
    }

    /// Restarts the PIN pad, which then uses the files that were loaded. The next operation opens
    /// it again.
    package nonisolated func restart() async throws(CaptureError) {
        try await claim.perform(orElse: DeviceClaim.captureRefusal) { cancellation async throws(CaptureError) in
            try await self.restart(cancellation)
        }
    }

    private func load(_ file: MiuraFile, _ progress: @Sendable (Double) -> Void, _ cancellation: Cancellation)
        throws(CaptureError)
    {
        func report(_ count: Int) {
            let part = Double(count) / Double(file.contents.count)
            events.send(.progress(.configuration, part))
            progress(part)
        }
        let kept = try attempt(cancellation) { link throws(DeviceError) in
            try link.succeed(MiuraCommand.select(file.name, .truncating), self.notice)
            for part in MiuraCommand.parts(of: file.contents.count) {
                try link.stream(MiuraCommand.stream(part), file.contents[part], sent: report, self.notice)
            }
            return try link.succeed(MiuraCommand.select(file.name, .withDigest), self.notice)
        }
        guard kept.describes(file) else { throw .readerFailed(.driver(MiuraFailure.fileDiffers)) }
    }

    private func restart(_ cancellation: Cancellation) throws(CaptureError) {
        try attempt(cancellation) { link throws(DeviceError) in _ = try link.succeed(MiuraCommand.restart, self.notice)
        }
        release()
    }
}

extension MiuraMessage {
    /// Whether it is the answer to SELECT FILE for a PIN pad that has all of `file`.
    fileprivate func describes(_ file: MiuraFile) -> Bool {
        guard let elements = try? DataElements(parsing: body), let size = elements[.miuraFileSize] else { return false }
        guard size.count <= 4, size.reduce(0, { $0 << 8 | Int($1) }) == file.contents.count else { return false }
        guard let digest = elements[.miuraFileDigest] else { return true }
        return digest == MD5.hash(file.contents)
    }
}

extension MiuraCommand {
    /// How SELECT FILE opens a file (Miura's published library, `SelectFileMode`).
    enum FileMode: UInt8 {
        /// The file is emptied, and created if it does not exist.
        case truncating = 0x01
        /// The file is not changed, and the answer has its MD5.
        case withDigest = 0x80
    }

    /// The answer has the length of the file.
    static func select(_ name: String, _ mode: FileMode) -> CommandAPDU {
        CommandAPDU(cla: 0x00, ins: 0xA4, p1: mode.rawValue, data: Array(name.utf8))
    }

    /// The ranges of a file that are streamed one after the other: at most 128 KiB each (Miura's
    /// published library, `APITransferFileListener`).
    static func parts(of count: Int) -> [Range<Int>] {
        let size = 0x2_0000
        return stride(from: 0, to: count, by: size).map { $0..<min($0 + size, count) }
    }

    /// STREAM BINARY: the bytes of the selected file follow the command, outside packets, and then
    /// comes the answer.
    ///
    /// The guide names no unit for the time limit. The value is larger than a part takes at 9,600
    /// baud in any unit from seconds up.
    static func stream(_ range: Range<Int>) -> CommandAPDU {
        CommandAPDU(
            cla: 0x00, ins: 0xD7,
            data: tlv(.miuraCommand) { data in
                data.append(.miuraStreamOffset, bigEndian(range.lowerBound))
                data.append(.miuraStreamSize, bigEndian(range.count))
                data.append(.miuraStreamTimeout, [0xFF])
            })
    }

    /// The PIN pad answers, and restarts.
    static let restart = CommandAPDU(cla: 0xD0, ins: 0x00, p1: 0x01)

    private static func bigEndian(_ number: Int) -> [UInt8] {
        [16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}

extension Tag {
    fileprivate static let miuraFileSize: Tag = 0x80
    fileprivate static let miuraStreamOffset: Tag = 0xDFA301
    fileprivate static let miuraStreamSize: Tag = 0xDFA302
    fileprivate static let miuraStreamTimeout: Tag = 0xDFA303
    fileprivate static let miuraFileDigest: Tag = 0xDFA304
}
