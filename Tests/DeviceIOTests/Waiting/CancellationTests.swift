import Testing

@testable import DeviceIO

@Suite(.timeLimit(.minutes(20))) struct CancellationTests {
    /// Waits for input that never comes, until cancelled.
    private func wait(_ event: WakeEvent, _ descriptor: CInt) -> DeviceError? {
        do throws(DeviceError) {
            _ = try DescriptorStream(descriptor, name: "test", cancel: event).read(atMost: 1, by: .never)
            return nil
        } catch {
            return error
        }
    }

    @Test("a cancellation before the operation ends it") func before() throws {
        let cancellation = Cancellation()
        cancellation.cancel()
        let event = try WakeEvent()
        #expect(throws: DeviceError.cancelled) { try cancellation.begin(event) }
    }

    @Test("a cancellation during the operation ends its wait") func during() throws {
        let event = try WakeEvent()
        let (_, port) = try socketPair()
        let cancellation = Cancellation()
        try cancellation.begin(event)
        cancellation.cancel()
        #expect(wait(event, port) == .cancelled)
    }

    @Test(
        "From another thread, while the wait is under way: there is no deadline and no input, so nothing else could end it"
    )
    func fromAnotherThread() async throws {
        let event = try WakeEvent()
        let (other, port) = try socketPair()
        let cancellation = Cancellation()
        try cancellation.begin(event)
        let thread = try DeviceThread(name: "cancelled")
        defer { thread.stop() }
        let device = Waiter(thread, port, event)
        async let outcome = device.wait()
        // Only after the wait has begun.
        _ = await other.next(atMost: 1)
        cancellation.cancel()
        #expect(await outcome == .cancelled)
    }

    @Test("A cancellation that comes late never hits the operation after it") func after() throws {
        let event = try WakeEvent()
        let (other, port) = try socketPair()
        let first = Cancellation()
        try first.begin(event)
        first.end()
        first.cancel()
        let second = Cancellation()
        try second.begin(event)
        other.write([0x42])
        #expect(wait(event, port) == nil)
    }

    @Test("One that came while the first was still running, and was not looked at, is gone with it") func unseen()
        throws
    {
        let event = try WakeEvent()
        let (other, port) = try socketPair()
        let first = Cancellation()
        try first.begin(event)
        first.cancel()
        first.end()
        let second = Cancellation()
        try second.begin(event)
        other.write([0x42])
        #expect(wait(event, port) == nil)
    }

    @Test("A signalled event ends waits until it is cleared") func wakeEvent() throws {
        let event = try WakeEvent()
        let (other, port) = try socketPair()
        event.signal()
        event.signal()
        #expect(wait(event, port) == .cancelled)
        event.clear()
        let (again, fresh) = try socketPair()
        again.write([1])
        #expect(wait(event, fresh) == nil)
        _ = other
    }

    @Test("A cancelled task ends its wait at the device") func cancelledTask() async throws {
        let (other, port) = try socketPair()
        let thread = try DeviceThread(name: "task")
        defer { thread.stop() }
        let device = Waiter(thread, port, thread.cancelEvent)
        let task = Task {
            try await DeviceThread.cancellable { cancellation async throws(DeviceError) in
                try await device.wait(cancellation)
            }
        }
        _ = await other.next(atMost: 1)
        task.cancel()
        await #expect(throws: DeviceError.cancelled) { try await task.value }
    }
}

/// Says so with one byte when it begins to wait.
private actor Waiter {
    private let thread: DeviceThread
    private let stream: DescriptorStream
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

    init(_ thread: DeviceThread, _ descriptor: CInt, _ event: WakeEvent) {
        self.thread = thread
        stream = DescriptorStream(descriptor, name: "test", cancel: event)
    }

    func wait() -> DeviceError? {
        do throws(DeviceError) {
            try stream.write([0], by: .never)
            _ = try stream.read(atMost: 1, by: .never)
            return nil
        } catch {
            return error
        }
    }

    func wait(_ cancellation: Cancellation) throws(DeviceError) {
        try cancellation.begin(thread.cancelEvent)
        defer { cancellation.end() }
        if let error = wait() { throw error }
    }
}
