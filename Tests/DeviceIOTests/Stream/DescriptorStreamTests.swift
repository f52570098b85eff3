import Testing

@testable import DeviceIO

@Suite(.timeLimit(.minutes(20))) struct DescriptorStreamTests {
    @Test func readsWhatIsThere() throws {
        let (other, port) = try socketPair()
        let stream = DescriptorStream(port, name: "pair", cancel: nil)
        other.write([1, 2, 3])
        #expect(try stream.read(atMost: 2, by: .never) == [1, 2])
        #expect(try stream.read(atMost: 9, by: .never) == [3])
        #expect(stream.name == "pair")
    }

    @Test("A deadline holds for the whole, however many pieces it comes in") func exactlySoMany() throws {
        let (other, port) = try socketPair()
        let stream = DescriptorStream(port, name: "pair", cancel: nil)
        other.write([1, 2])
        #expect(throws: DeviceError.timedOut) { try stream.read(exactly: 3, by: .after(.milliseconds(1))) }
        other.write([3, 4])
        #expect(try stream.read(exactly: 2, by: .never) == [3, 4])
        #expect(try stream.read(exactly: 0, by: .never).isEmpty)
    }

    @Test("What has come in is read even when the deadline has passed: it is looked at once") func passedDeadline()
        throws
    {
        let (other, port) = try socketPair()
        let stream = DescriptorStream(port, name: "pair", cancel: nil)
        #expect(throws: DeviceError.timedOut) { try stream.read(atMost: 1, by: .after(.seconds(-1))) }
        other.write([1])
        #expect(try stream.read(atMost: 1, by: .after(.seconds(-1))) == [1])
    }

    @Test func otherSideCloses() throws {
        let (other, port) = try socketPair()
        let stream = DescriptorStream(port, name: "pair", cancel: nil)
        other.write([1])
        other.close()
        #expect(try stream.read(atMost: 1, by: .never) == [1])
        #expect(throws: DeviceError.disconnected) { try stream.read(atMost: 1, by: .never) }
        #expect(throws: DeviceError.disconnected) { try stream.write([1], by: .never) }
    }

    /// The other side reads nothing: writing ends when its time is over.
    @Test func writingDoesNotBlock() throws {
        let (other, port) = try socketPair()
        let stream = DescriptorStream(port, name: "pair", cancel: nil)
        #expect(throws: DeviceError.timedOut) {
            try stream.write([UInt8](repeating: 0, count: 8 << 20), by: .after(.milliseconds(5)))
        }
        _ = other
    }
}
