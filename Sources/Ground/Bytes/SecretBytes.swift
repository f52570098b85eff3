#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#endif

/// Bytes that must not be seen: a key, a PIN, a PAN, a track.
///
/// The bytes lie in memory of their own, which is wiped when the last reference goes. Nothing
/// prints them: a description, an interpolation, a `dump` or a mirror shows their number only, and
/// the type cannot be encoded. They are read inside ``withBytes(_:)``. Comparison takes the same
/// time wherever two secrets of one length differ.
///
/// It is a reference under a value's face and not a noncopyable type, because keys and PANs are
/// kept in collections and cross tasks; sharing one wiped buffer makes fewer copies than moving a
/// noncopyable one in and out of them.
public struct SecretBytes: Sendable {
    private let storage: Storage

    public init(_ bytes: some Collection<UInt8>) {
        storage = Storage(copying: bytes)
    }

    /// Takes the bytes over and wipes `bytes`, so that no second copy stays behind.
    public init(wiping bytes: inout [UInt8]) {
        storage = Storage(copying: bytes)
        wipe(&bytes)
    }

    /// The leftmost `count` bytes, up to 32, of two numbers, most significant byte first.
    package init(_ left: UInt128, _ right: UInt128, count: Int) {
        var numbers = (left.bigEndian, right.bigEndian)
        storage = unsafe withUnsafeMutableBytes(of: &numbers) { numbers in
            defer { if let base = numbers.baseAddress { unsafe explicit_bzero(base, numbers.count) } }
            return unsafe Storage(copying: numbers.prefix(count))
        }
    }

    /// The 8 bytes of a number, most significant first.
    package init(bigEndian number: UInt64) {
        self.init(UInt128(number) << 64, 0, count: 8)
    }

    public var count: Int { storage.count }
    public var isEmpty: Bool { storage.count == 0 }

    /// Calls `body` with the bytes, which are valid during the call only.
    public func withBytes<Result, Failure>(_ body: (Span<UInt8>) throws(Failure) -> Result) throws(Failure) -> Result {
        try storage.withBytes(body)
    }

    /// Calls `body` with a copy of the bytes, which is wiped afterwards: for code that takes
    /// arrays.
    package func withArray<Result, Failure>(_ body: ([UInt8]) throws(Failure) -> Result) throws(Failure) -> Result {
        var copy = revealed()
        defer { wipe(&copy) }
        return try body(copy)
    }

    /// A copy of the bytes that nothing wipes: for the caller to hand to a codec or a cipher and to
    /// ``wipe(_:)`` afterwards.
    public func revealed() -> [UInt8] {
        withBytes { bytes in
            var copy: [UInt8] = []
            copy.reserveCapacity(bytes.count)
            for index in bytes.indices { copy.append(bytes[index]) }
            return copy
        }
    }
}

extension SecretBytes: Equatable {
    public static func == (left: SecretBytes, right: SecretBytes) -> Bool {
        left.withBytes { one in right.withBytes { other in constantTimeEqual(one, other) } }
    }
}

extension SecretBytes: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "\(count) secret bytes" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Whether two byte strings are equal, in a time that depends on their lengths only.
public func constantTimeEqual(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    var difference: UInt8 = 0
    for index in left.indices { difference |= left[index] ^ right[index] }
    return difference == 0
}

/// Overwrites `bytes` with zeros in a way the optimiser may not remove, and empties the array.
public func wipe(_ bytes: inout [UInt8]) {
    unsafe bytes.withUnsafeMutableBytes { buffer in
        if let base = buffer.baseAddress { unsafe explicit_bzero(base, buffer.count) }
    }
    bytes.removeAll(keepingCapacity: false)
}

/// For arrays that secrets come into piece by piece: no copy of them stays where the array was.
extension [UInt8] {
    /// Adds `more`, and wipes it. Where the array has to move, the place that it leaves is wiped.
    public mutating func append(wiping more: inout [UInt8]) {
        if capacity < count + more.count {
            var grown: [UInt8] = []
            grown.reserveCapacity(2 * (count + more.count))
            grown += self
            swap(&self, &grown)
            wipe(&grown)
        }
        self += more
        wipe(&more)
    }

    /// Takes `count` bytes from the beginning, all if there are no more. What stays moves to a
    /// place of its own.
    public mutating func removeFirst(wiping count: Int) {
        var rest = Array(dropFirst(count))
        swap(&self, &rest)
        wipe(&rest)
    }
}

extension SecretBytes {
    /// Sendable although it holds a pointer: the memory is written before the first reader has it,
    /// and in `deinit`.
    @safe private final class Storage: @unchecked Sendable {
        private let bytes: UnsafeMutableBufferPointer<UInt8>

        init(copying source: some Collection<UInt8>) {
            unsafe bytes = .allocate(capacity: source.count)
            // One piece of memory is copied as such, also where the collection's type is not known
            // here.
            let copied = source.withContiguousStorageIfAvailable { unsafe bytes.initialize(from: $0).index }
            if copied == nil { _ = unsafe bytes.initialize(from: source) }
        }

        var count: Int { unsafe bytes.count }

        func withBytes<Result, Failure>(_ body: (Span<UInt8>) throws(Failure) -> Result) throws(Failure) -> Result {
            try unsafe body(Span(_unsafeElements: UnsafeBufferPointer(bytes)))
        }

        deinit {
            if let base = unsafe bytes.baseAddress { unsafe explicit_bzero(base, bytes.count) }
            unsafe bytes.deallocate()
        }
    }
}
