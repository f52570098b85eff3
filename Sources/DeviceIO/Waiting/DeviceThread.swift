internal import CDeviceIO
private import Glibc
private import Synchronization

/// The thread that a device is driven by: the executor of the actor that drives it. Calls that block, block this thread and no other; while there is
/// nothing to do it sleeps until the device has something to say.
public final class DeviceThread: SerialExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        var isStopped = false
    }

    private static let maximumWatches = 8

    /// What cancels the device's present operation.
    public let cancelEvent: WakeEvent
    private let wake: WakeEvent
    private let state = Mutex(State())
    private let watches = ThreadConfined<[Watch]>([])
    private let thread = Mutex<pthread_t?>(nil)

    private struct Watch {
        let descriptor: CInt
        let handle: () -> Void
    }

    /// - Parameter name: For those who look at the process; 15 characters are kept.
    public init(name: String) throws(DeviceError) {
        cancelEvent = try WakeEvent()
        wake = try WakeEvent()
        let start = unsafe Unmanaged.passRetained(Start(thread: self, name: String(name.utf8.prefix(15)) ?? "device"))
        var handle = pthread_t()
        let status = unsafe pthread_create(&handle, nil, { unsafe Start.run($0) }, start.toOpaque())
        guard status == 0 else {
            unsafe start.release()
            throw .system(call: "pthread_create", code: status)
        }
        pthread_detach(handle)
        thread.withLock { $0 = handle }
    }

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        state.withLock { $0.jobs.append(job) }
        wake.signal()
    }

    public func checkIsolated() {
        precondition(isIsolatingCurrentContext() == true, "must be called on the device's thread")
    }

    public func isIsolatingCurrentContext() -> Bool? {
        thread.withLock { $0 }.map { pthread_equal($0, pthread_self()) != 0 }
    }

    /// Lets the thread end when what was asked of it so far is done. To be called by the owner, once.
    public func stop() {
        state.withLock { $0.isStopped = true }
        wake.signal()
    }

    /// Calls `handle` on this thread whenever `descriptor` can be read while nothing else is to be done. To be called on this thread, which keeps `handle`
    /// until ``unwatch(_:)``: it is to read or to unwatch, a descriptor whose other side has gone can always be read.
    public func watch(_ descriptor: CInt, _ handle: @escaping () -> Void) {
        checkIsolated()
        precondition(watches.value.count < Self.maximumWatches, "too many watched descriptors")
        watches.value.append(Watch(descriptor: descriptor, handle: handle))
    }

    /// To be called on this thread, before the descriptor is closed.
    public func unwatch(_ descriptor: CInt) {
        checkIsolated()
        watches.value.removeAll { $0.descriptor == descriptor }
    }

    /// Runs `operation`, which is to call a method of the actor that begins and ends the cancellation; cancelling the task ends the wait it is in.
    public static func cancellable<Success, Failure: Error>(
        _ operation: (Cancellation) async throws(Failure) -> Success
    ) async throws(Failure) -> Success {
        let cancellation = Cancellation()
        let result: Result<Success, Failure> = await withTaskCancellationHandler {
            do throws(Failure) {
                return .success(try await operation(cancellation))
            } catch {
                return .failure(error)
            }
        } onCancel: {
            cancellation.cancel()
        }
        return try result.get()
    }

    fileprivate func run() {
        thread.withLock { $0 = pthread_self() }
        while true {
            let (jobs, isStopped) = state.withLock { state in
                defer { state.jobs = [] }
                return (state.jobs, state.isStopped)
            }
            for job in jobs { unsafe job.runSynchronously(on: asUnownedSerialExecutor()) }
            guard jobs.isEmpty else { continue }
            if isStopped { break }
            sleep()
        }
        watches.value = []
    }

    /// Until there is a job or a watched descriptor has something.
    private func sleep() {
        let current = watches.value
        let descriptors = [wake.descriptor] + current.map(\.descriptor)
        let ready = unsafe cdio_wait_readable(descriptors, descriptors.count, -1, Deadline.never.nanoseconds)
        wake.clear()
        if ready > 0 { current[Int(ready) - 1].handle() }
    }
}

/// What the new thread is handed.
private final class Start {
    let thread: DeviceThread
    let name: String

    init(thread: DeviceThread, name: String) {
        self.thread = thread
        self.name = name
    }

    static func run(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let context = unsafe context else { return nil }
        let start = unsafe Unmanaged<Start>.fromOpaque(context).takeRetainedValue()
        unsafe cdio_name_thread(start.name)
        start.thread.run()
        return nil
    }
}

/// A value that one thread only looks at, once that thread is under way: Sendable, since ``DeviceThread`` checks the thread wherever it hands it out.
private final class ThreadConfined<Value>: @unchecked Sendable {
    var value: Value
    init(_ value: Value) { self.value = value }
}
