import Foundation
import Synchronization
import Testing

@testable import DeviceIO

@Suite(.timeLimit(.minutes(20))) struct DeviceThreadTests {
    @Test func jobsRunInOrderOnTheThread() async throws {
        let device = try Device()
        // Sent without waiting, from one place.
        for number in 0..<200 { Task { await device.note(number) } }
        for number in 200..<400 { await device.note(number) }
        let notes = await device.notes
        #expect(notes.filter { $0 >= 200 } == Array(200..<400))
        #expect(await device.isOnThread() == true)
        #expect(device.thread.isIsolatingCurrentContext() == false)
    }

    @Test("the actor runs on its device thread") func isolation() async throws {
        let device = try Device()
        #expect(await device.assumesItself())
    }

    @Test func threadHasItsName() async throws {
        let device = try Device(name: "reader with a long name")
        #expect(await device.threadName() == "reader with a l")
    }

    @Test("Watched input is delivered as it arrives") func watchedInput() async throws {
        let device = try Device()
        let (other, port) = try socketPair()
        let stream = AsyncStream<[UInt8]>.makeStream()
        await device.watch(port, stream.continuation)
        other.write([1, 2])
        var received = stream.stream.makeAsyncIterator()
        #expect(await received.next() == [1, 2])
        other.write([3])
        #expect(await received.next() == [3])
        // Jobs and watching go on beside each other.
        await device.note(7)
        await device.unwatch(port)
        other.write([4])
        for number in 0..<50 { await device.note(number) }
        stream.continuation.finish()
        #expect(await received.next() == nil)
    }

    @Test func stopLetsJobsEnd() async throws {
        let device = try Device()
        let results = await withTaskGroup(of: Void.self) { group in
            for number in 0..<20 { group.addTask { await device.note(number) } }
            await group.waitForAll()
            return await device.notes.count
        }
        #expect(results == 20)
        device.thread.stop()
    }

    /// More devices block than there are processors, and the pool still does what it is asked: it
    /// would stand still for ever if they blocked its threads, since they are let go only when the
    /// pool has done its ticks.
    @Test func cooperativePoolIsNotBlocked() async throws {
        let count = 2 * max(2, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
        var others: [TestDescriptor] = []
        var devices: [Device] = []
        for _ in 0..<count {
            let (other, port) = try socketPair()
            others.append(other)
            devices.append(try Device(port: port))
        }
        let reads = devices.map { device in Task { try await device.read() } }
        // Each says that it has begun.
        for other in others { #expect(await other.next(atMost: 1) == [0]) }
        let ticks = Ticks()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<count {
                group.addTask {
                    for _ in 0..<100 {
                        ticks.count.add(1, ordering: .relaxed)
                        await Task.yield()
                    }
                }
            }
        }
        #expect(ticks.count.load(ordering: .relaxed) == count * 100)
        for (index, other) in others.enumerated() { other.write([UInt8(index)]) }
        for (index, read) in reads.enumerated() { #expect(try await read.value == [UInt8(index)]) }
    }
}

private final class Ticks: Sendable {
    let count = Atomic(0)
}

private actor Device {
    nonisolated let thread: DeviceThread
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }
    private let stream: DescriptorStream?
    private(set) var notes: [Int] = []

    init(name: String = "test device", port: CInt? = nil) throws {
        let thread = try DeviceThread(name: name)
        self.thread = thread
        stream = port.map { DescriptorStream($0, name: "test", cancel: thread.cancelEvent) }
    }

    deinit { thread.stop() }

    func note(_ number: Int) { notes.append(number) }
    func isOnThread() -> Bool? { thread.isIsolatingCurrentContext() }

    func assumesItself() -> Bool {
        thread.checkIsolated()
        return assumeIsolated { $0.notes.isEmpty }
    }

    func threadName() -> String {
        (try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8))?.trimmingCharacters(in: .newlines)
            ?? ""
    }

    func read() throws(DeviceError) -> [UInt8] {
        try stream?.write([0], by: .never)
        return try stream?.read(atMost: 1, by: .never) ?? []
    }

    func watch(_ descriptor: CInt, _ continuation: AsyncStream<[UInt8]>.Continuation) {
        thread.watch(descriptor) {
            var buffer = [UInt8](repeating: 0, count: 16)
            let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
            continuation.yield(Array(buffer.prefix(max(0, count))))
        }
    }

    func unwatch(_ descriptor: CInt) { thread.unwatch(descriptor) }
}
