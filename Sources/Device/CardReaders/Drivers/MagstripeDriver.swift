package import CardCapture
package import DeviceIO

/// Drives a stripe reader on a thread of its own: opens it on first use, reopens it after a
/// disconnection and cancels its waits.
///
/// The families differ only in their ``SwipeSource``.
package actor MagstripeDriver<Source: SwipeSource>: MagstripeSlot {
    /// Opens the device; the event ends its waits.
    package typealias Opening = @Sendable (WakeEvent) throws(DeviceError) -> Source

    package nonisolated let name: String
    package nonisolated let capabilities: ReaderCapabilities
    package nonisolated let events = ReaderEvents()

    private nonisolated let thread: DeviceThread
    private let open: Opening
    private var source: Source?
    private var wasOpen = false
    private nonisolated let claim = DeviceClaim()

    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

    package init(name: String, capabilities: ReaderCapabilities, open: @escaping Opening) throws(DeviceError) {
        self.name = name
        self.capabilities = capabilities
        self.open = open
        thread = try DeviceThread(name: "stripe reader")
    }

    deinit { thread.stop() }

    package nonisolated func swipe() async throws(CaptureError) -> CapturedSwipe {
        let swipe = try await perform { source throws(DeviceError) in try source.nextSwipe() }
        events.send(.swiped(readable: swipe.isReadable))
        return swipe
    }

    /// Runs another operation on the device between swipes, such as reading a property or the
    /// battery state.
    package nonisolated func perform<Result: Sendable>(
        _ body: @escaping @Sendable (Source) throws(DeviceError) -> Result
    ) async throws(CaptureError) -> Result {
        try await claim.perform(orElse: DeviceClaim.captureRefusal) { cancellation async throws(CaptureError) in
            try await self.run(body, cancellation)
        }
    }

    /// As ``perform(_:)``, and ended by `cancellation` in place of the task's.
    nonisolated func perform<Result: Sendable>(
        endedBy cancellation: Cancellation, _ body: @escaping @Sendable (Source) throws(DeviceError) -> Result
    ) async throws(CaptureError) -> Result {
        try await claim.exclusively(orElse: DeviceClaim.captureRefusal) { () async throws(CaptureError) in
            try await self.run(body, cancellation)
        }
    }

    nonisolated func openDevice() async throws(DeviceError) {
        try await claim.perform(orElse: .busy(name, holder: nil)) { cancellation async throws(DeviceError) in
            try await self.identify(cancellation)
        }
    }

    /// Cancels the operation in progress and closes the device; the next use opens it again.
    package nonisolated func close() async {
        claim.cancel()
        await release()
    }

    private func release() {
        guard source != nil else { return }
        source = nil
        wasOpen = false
        events.send(.disconnected(.closed))
    }

    private func identify(_ cancellation: Cancellation) throws(DeviceError) {
        do throws(DeviceError) {
            try cancellation.begin(thread.cancelEvent)
            defer { cancellation.end() }
            try attempt { source throws(DeviceError) in try source.identify() }
        } catch {
            recover(from: error)
            throw error
        }
    }

    private func run<Result: Sendable>(
        _ body: (Source) throws(DeviceError) -> Result, _ cancellation: Cancellation
    ) throws(CaptureError) -> Result {
        do throws(DeviceError) {
            try cancellation.begin(thread.cancelEvent)
            defer { cancellation.end() }
            return try attempt(body)
        } catch {
            recover(from: error)
            throw CaptureError(error)
        }
    }

    /// Reopens a device that was disconnected and reconnected since its last use.
    private func attempt<Result>(_ body: (Source) throws(DeviceError) -> Result) throws(DeviceError) -> Result {
        if let source {
            do throws(DeviceError) {
                try source.prepare()
            } catch .disconnected {
                lose(.unplugged)
            } catch {
                throw error
            }
        }
        if let source { return try body(source) }
        let opened = try opened()
        try opened.prepare()
        return try body(opened)
    }

    private func opened() throws(DeviceError) -> Source {
        if wasOpen { events.send(.reconnecting) }
        let opened = try events.reportingFailure { () throws(DeviceError) in try open(thread.cancelEvent) }
        source = opened
        wasOpen = true
        events.send(.connected)
        return opened
    }

    private func recover(from error: DeviceError) {
        guard let source else { return }
        switch error {
        case .disconnected, .notFound: lose(.unplugged)
        default:
            thread.cancelEvent.clear()
            do throws(DeviceError) {
                try source.standDown()
            } catch {
                lose(ReaderEvent.DisconnectReason(error))
            }
        }
    }

    private func lose(_ reason: ReaderEvent.DisconnectReason) {
        source = nil
        events.send(.disconnected(reason))
    }
}

extension MagstripeDriver: OpeningDriver {}
