public import DeviceIO
public import Peripherals
public import Printing

/// A receipt printer: each slip is printed over a connection of its own, once.
public actor ReceiptPrinter {
    public nonisolated let address: PrinterAddress
    public nonisolated let profile: PrinterProfile
    private nonisolated let thread: DeviceThread

    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

    /// Nothing is opened before the first job.
    public init(_ address: PrinterAddress, profile: PrinterProfile) throws(DeviceError) {
        self.address = address
        self.profile = profile
        thread = try DeviceThread(name: "printer")
    }

    deinit { thread.stop() }

    /// The outcome of a job.
    public struct Report: Sendable, Equatable {
        public let outcome: PrintJob.Outcome
        /// The last that the printer said of itself; nil if it said nothing.
        public let status: PrinterStatus?
        /// Why the connection could not be opened or broke, as the system says it.
        public let cause: DeviceError?
    }

    /// Prints the slip. Cancelling the task ends the job; what was sent may be printed.
    ///
    /// - Parameters:
    ///   - number: Of this job: a late end marker of an earlier one does not count.
    ///   - progress: Is told each state as it is reached.
    public nonisolated func print(
        _ slip: PrintedSlip, number: UInt16, limits: PrintJob.Limits = .init(),
        progress: @escaping @Sendable (PrintJob.State) -> Void = { _ in }
    ) async -> Report {
        await DeviceThread.cancellable { cancellation in
            let job = PrintJob(slip, on: self.profile, number: number, limits: limits)
            return await self.run(job, cancellation, progress)
        }
    }

    private func run(
        _ job: PrintJob, _ cancellation: Cancellation, _ progress: @Sendable (PrintJob.State) -> Void
    ) -> Report {
        do throws(DeviceError) {
            try cancellation.begin(thread.cancelEvent)
        } catch {
            return Report(outcome: .notPrinted(PrintError(error)), status: nil, cause: error)
        }
        defer { cancellation.end() }
        var job = job
        var link = PrinterLink(address, cancel: thread.cancelEvent)
        var input = PrintJob.Input.start
        progress(job.state)
        while true {
            let before = job.state
            let action = job.next(input)
            if job.state != before { progress(job.state) }
            if case .finish(let outcome) = action {
                link.close()
                return Report(outcome: outcome, status: job.status, cause: link.failure)
            }
            input = link.perform(action)
        }
    }

    /// Asks the printer how it is.
    ///
    /// - Throws: ``Printing/PrintError/timedOut`` if it does not answer, as many do not.
    public nonisolated func status() async throws(PrintError) -> PrinterStatus {
        try await DeviceThread.cancellable { cancellation async throws(PrintError) in
            try await self.ask(cancellation)
        }
    }

    private func ask(_ cancellation: Cancellation) throws(PrintError) -> PrinterStatus {
        do throws(DeviceError) {
            try cancellation.begin(thread.cancelEvent)
            defer { cancellation.end() }
            let transport = try address.open(by: .after(PrintJob.Limits().connect), cancel: thread.cancelEvent)
            return try StatusQuery(profile.language).ask(transport)
        } catch {
            throw PrintError(error)
        }
    }

    /// What a USB printer behind usblp calls itself, on one line; nil for printers that do not say
    /// it, and on other ways.
    public nonisolated func identity() async throws(PrintError) -> String? {
        guard case .linePrinter(let path) = address else { return nil }
        return try await identity(path)
    }

    private func identity(_ path: String) throws(PrintError) -> String? {
        do throws(DeviceError) {
            return try LinePrinter(path: path, cancel: nil).identity
        } catch {
            throw PrintError(error)
        }
    }

    /// Opens the drawer on the printer's socket, if it is closed.
    ///
    /// - Parameters:
    ///   - drive: 1 or 2.
    ///   - milliseconds: The length of the pulse, of ``Printing/PrinterProfile/pulseLengths``.
    /// - Throws: ``Printing/PrintError/unsupported`` if there is no socket; an obstacle of the
    ///   printer, with which the pulse would wait in its buffer.
    public nonisolated func openDrawer(
        _ drawerSwitch: DrawerSwitch = .unknown, drive: Int = 1, milliseconds: Int = 50,
        limits: DrawerJob.Limits = .init()
    ) async throws(PrintError) -> DrawerJob.Outcome {
        guard let pulse = profile.drawerPulse(drive: drive, milliseconds: milliseconds) else { throw .unsupported }
        return try await DeviceThread.cancellable { cancellation async throws(PrintError) in
            try await self.open(DrawerJob(drawerSwitch, limits: limits), pulse, cancellation)
        }
    }

    private func open(_ job: DrawerJob, _ pulse: [UInt8], _ cancellation: Cancellation) throws(PrintError)
        -> DrawerJob.Outcome
    {
        let transport: any ByteTransport
        do throws(DeviceError) {
            try cancellation.begin(thread.cancelEvent)
            transport = try address.open(by: .after(PrintJob.Limits().connect), cancel: thread.cancelEvent)
        } catch {
            cancellation.end()
            throw PrintError(error)
        }
        defer { cancellation.end() }
        return try SocketDrawer(profile, transport, thread.cancelEvent).run(job, pulse)
    }
}
