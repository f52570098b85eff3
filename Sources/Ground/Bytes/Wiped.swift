#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#endif

/// A property whose bytes leave nothing in memory: they are wiped when the last value that has them
/// goes, where others replace them, and where they grow out of their place.
///
/// For what may have card data in it and is worked on as an array: an answer of a card, a frame of
/// a reader, the data objects of a transaction. ``SecretBytes`` is for a secret that is kept.
///
/// An array that is taken from it shares its memory. If it outlives the property, whoever has it
/// wipes it. Bytes are added with ``append(_:)`` and ``append(contentsOf:)``: an array that grows
/// by itself leaves its old memory as it is.
@propertyWrapper
package struct Wiped: Sendable {
    private var box: Box

    package init(wrappedValue: consuming [UInt8] = []) { box = Box(wrappedValue) }

    /// A copy of `bytes`, or their memory if nobody else has it.
    package init(_ bytes: consuming [UInt8]) { self.init(wrappedValue: bytes) }

    /// The same bytes without the first and the last ones; empty if there are not so many.
    package func dropping(first: Int, last: Int = 0) -> Wiped {
        Wiped(Array(box.bytes.dropFirst(first).dropLast(last)))
    }

    package var count: Int { box.bytes.count }
    package var isEmpty: Bool { box.bytes.isEmpty }
    package var first: UInt8? { box.bytes.first }

    package var wrappedValue: [UInt8] {
        get { box.bytes }
        set {
            if isKnownUniquelyReferenced(&box) {
                wipe(&box.bytes)
                box.bytes = newValue
            } else {
                box = Box(newValue)
            }
        }
        _modify {
            if !isKnownUniquelyReferenced(&box) { box = Box(box.bytes) }
            yield &box.bytes
        }
    }

    /// Calls `body` with the bytes in their place.
    package func withBytes<Result, Failure>(_ body: (Span<UInt8>) throws(Failure) -> Result) throws(Failure) -> Result {
        let bytes = box.bytes
        return try body(bytes.span)
    }

    package mutating func append(_ byte: UInt8) {
        makeRoom(for: 1)
        wrappedValue.append(byte)
    }

    package mutating func append(contentsOf bytes: some Collection<UInt8>) {
        makeRoom(for: bytes.count)
        wrappedValue.append(contentsOf: bytes)
    }

    /// Adds `bytes`, and wipes them where they were.
    package mutating func append(wiping bytes: inout [UInt8]) {
        append(contentsOf: bytes)
        wipe(&bytes)
    }

    /// Reserves memory for this number of bytes in all.
    package mutating func reserveCapacity(_ count: Int) {
        guard box.bytes.capacity < count else { return }
        var grown: [UInt8] = []
        grown.reserveCapacity(count)
        grown += box.bytes
        wrappedValue = grown
    }

    private mutating func makeRoom(for more: Int) {
        let count = box.bytes.count + more
        if box.bytes.capacity < count { reserveCapacity(max(2 * box.bytes.capacity, count)) }
    }
}

extension Wiped: ExpressibleByArrayLiteral {
    package init(arrayLiteral elements: UInt8...) { self.init(elements) }
}

extension Wiped: CustomStringConvertible, CustomReflectable {
    package var description: String { "\(count) bytes" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension Wiped: Hashable {
    package static func == (left: Wiped, right: Wiped) -> Bool { left.box.bytes == right.box.bytes }
    package func hash(into hasher: inout Hasher) { hasher.combine(box.bytes) }
}

extension Wiped {
    /// Sendable although it can change: it does so only where one value refers to it.
    private final class Box: @unchecked Sendable {
        var bytes: [UInt8]

        init(_ bytes: consuming [UInt8]) { self.bytes = bytes }

        deinit { wipe(&bytes) }
    }
}
