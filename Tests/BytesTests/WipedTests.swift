import Testing

@testable import Bytes

/// That it wipes is shown by `SaleResidueTests`, in processes of their own.
@Suite struct WipedTests {
    private struct Frame {
        @Wiped var bytes: [UInt8]
    }

    @Test("A copy keeps what it has when the original changes") func values() {
        var frame = Frame(bytes: [1, 2, 3])
        let copy = frame
        frame.bytes[0] = 9
        frame.bytes.append(4)
        #expect(frame.bytes == [9, 2, 3, 4])
        #expect(copy.bytes == [1, 2, 3])
        frame.bytes = []
        #expect(frame.bytes.isEmpty)
        #expect(copy.bytes == [1, 2, 3])
    }

    @Test("An array that was taken from it keeps its bytes when it goes") func taken() {
        var frame: Frame? = Frame(bytes: [1, 2, 3])
        let bytes = frame?.bytes
        frame = nil
        #expect(bytes == [1, 2, 3])
    }

    @Test("It grows as an array does", arguments: [0, 1, 7, 300]) func growth(_ reserved: Int) {
        var (wiped, array) = (Wiped(), [UInt8]())
        wiped.reserveCapacity(reserved)
        for number in 0..<200 as Range<UInt8> {
            wiped.append(number)
            array.append(number)
            var part = [UInt8](repeating: number, count: Int(number % 5))
            array += part
            wiped.append(wiping: &part)
            #expect(part.isEmpty)
        }
        #expect(wiped.wrappedValue == array)
        #expect(wiped.count == array.count)
        #expect(wiped.first == 0)
        #expect(wiped.withBytes { $0.count } == array.count)
    }

    @Test func ends() {
        let wiped: Wiped = [1, 2, 3, 4]
        #expect(wiped.dropping(first: 1, last: 2) == [2])
        #expect(wiped.dropping(first: 3, last: 3).isEmpty)
        #expect(wiped.dropping(first: 9) == [])
    }

    @Test("It prints no byte") func description() {
        let wiped: Wiped = [0x47, 0x61]
        var dumped = ""
        dump(wiped, to: &dumped)
        #expect("\(wiped)" == "2 bytes")
        #expect(!dumped.contains("71"))
    }
}
