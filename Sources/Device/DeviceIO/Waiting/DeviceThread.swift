internal import CDeviceIO
private import Glibc
private import Synchronization

/// The thread of a device: the executor of the actor that drives it. Blocking calls block only this
/// thread. When idle, it sleeps until the device has data.
public final class DeviceThread: SerialExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        var isStopped = false
    }

    private static let maximumWatches = 8

    /// Cancels the current operation of the device.
    public let cancelEvent: WakeEvent
    private let wake: WakeEvent
    private let state = Mutex(State())
    private let watches = ThreadConfined<[Watch]>([])
    private let thread = Mutex<pthread_t?>(nil)

    private struct Watch {
        let descriptor: CInt
        let handle: () -> Void
    }

    /// - Parameter name: The thread's name in process lists; truncated to 15 characters.
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

    /// Ends the thread when all jobs so far are done. The owner must call it once.
    public func stop() {
        state.withLock { $0.isStopped = true }
        wake.signal()
    }

    /// Calls `handle` on this thread whenever `descriptor` is readable and the thread is idle. Call
    /// it on this thread, which keeps `handle` until ``unwatch(_:)``. `handle` must read or
    /// unwatch, because a closed connection is always readable.
    public func watch(_ descriptor: CInt, _ handle: @escaping () -> Void) {
        checkIsolated()
        precondition(watches.value.count < Self.maximumWatches, "too many watched descriptors")
        watches.value.append(Watch(descriptor: descriptor, handle: handle))
    }

    /// Call it on this thread, before the descriptor is closed.
    public func unwatch(_ descriptor: CInt) {
        checkIsolated()
        watches.value.removeAll { $0.descriptor == descriptor }
    }

    /// Runs `operation`, which must call a method of the actor that begins and ends the
    /// cancellation; cancelling the task ends the current wait.
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

    /// Sleeps until there is a job or a watched descriptor is readable.
    private func sleep() {
        let current = watches.value
        let descriptors = [wake.descriptor] + current.map(\.descriptor)
        let ready = unsafe cdio_wait_readable(descriptors, descriptors.count, -1, Deadline.never.nanoseconds)
        wake.clear()
        if ready > 0 { current[Int(ready) - 1].handle() }
    }
}

/// The arguments of the new thread.
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

/// A value that only one thread uses once that thread has started. It is Sendable because
/// ``DeviceThread`` checks the thread at every access.
private final class ThreadConfined<Value>: @unchecked Sendable {
    var value: Value
    init(_ value: Value) { self.value = value }
}
