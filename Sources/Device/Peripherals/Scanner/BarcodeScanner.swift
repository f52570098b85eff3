public import DeviceIO
private import Synchronization

/// A barcode scanner: connected once, it gives every scan until it is closed or lost.
public actor BarcodeScanner {
    public nonisolated let address: ScannerAddress
    private let format: ScanFormat
    private nonisolated let thread: DeviceThread
    /// The thread reads while it is true: whoever asks must not wait for it.
    private nonisolated let isConnected = Mutex(false)

    /// Scans that nobody takes are kept up to this number; later ones are dropped.
    public static let maximumWaiting = 256

    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

    public init(_ address: ScannerAddress, format: ScanFormat = ScanFormat()) throws(DeviceError) {
        self.address = address
        self.format = format
        thread = try DeviceThread(name: "scanner")
    }

    deinit { thread.stop() }

    /// Opens the scanner for this program alone. The stream ends after ``ScannerEvent/disconnected(_:)``
    /// or ``close()``; then the scanner can be connected again.
    ///
    /// - Throws: ``DeviceIO/DeviceError/busy(_:holder:)`` if it is connected already.
    public nonisolated func connect() async throws(DeviceError) -> AsyncStream<ScannerEvent> {
        let isFirst = isConnected.withLock { isConnected in
            defer { isConnected = true }
            return !isConnected
        }
        guard isFirst else { throw .busy(address.path, holder: nil) }
        do throws(DeviceError) {
            return try await open()
        } catch {
            isConnected.withLock { $0 = false }
            throw error
        }
    }

    private func open() throws(DeviceError) -> AsyncStream<ScannerEvent> {
        thread.cancelEvent.clear()
        let source = try address.open(format, cancel: thread.cancelEvent)
        let (stream, continuation) = AsyncStream.makeStream(
            of: ScannerEvent.self, bufferingPolicy: .bufferingOldest(Self.maximumWaiting))
        let event = thread.cancelEvent
        continuation.onTermination = { _ in event.signal() }
        Task { self.read(source, continuation) }
        return stream
    }

    /// Ends the stream and gives the scanner back.
    public nonisolated func close() { thread.cancelEvent.signal() }

    /// Holds the thread until the scanner is closed or lost.
    private func read(_ source: any ScanSource, _ continuation: AsyncStream<ScannerEvent>.Continuation) {
        defer {
            isConnected.withLock { $0 = false }
            continuation.finish()
        }
        while true {
            do throws(DeviceError) {
                for event in try source.next() { continuation.yield(event) }
            } catch .cancelled {
                return
            } catch {
                continuation.yield(.disconnected(error))
                return
            }
        }
    }
}
