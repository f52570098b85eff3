import DeviceIO
import Peripherals
import Printing

/// A drawer on a printer's socket, over one connection.
struct SocketDrawer {
    private let profile: PrinterProfile
    private let transport: any ByteTransport
    private let event: WakeEvent

    init(_ profile: PrinterProfile, _ transport: any ByteTransport, _ event: WakeEvent) {
        self.profile = profile
        self.transport = transport
        self.event = event
    }

    /// - Throws: An obstacle of the printer, behind which the pulse would wait in its buffer for the
    ///   next slip.
    func run(_ job: DrawerJob, _ pulse: [UInt8]) throws(PrintError) -> DrawerJob.Outcome {
        var job = job
        var input = DrawerJob.Input.start
        while true {
            let action = job.next(input)
            if case .finish(let outcome) = action {
                try? transport.drain()
                return outcome
            }
            input = try perform(action, pulse)
        }
    }

    private func perform(_ action: DrawerJob.Action, _ pulse: [UInt8]) throws(PrintError) -> DrawerJob.Input {
        let status: PrinterStatus?
        do throws(DeviceError) {
            switch action {
            case .look: status = try self.status()
            case .pulse:
                try transport.write(pulse, by: .after(PrintJob.Limits().write))
                return .done
            case .wait(let time):
                try event.wait(until: .after(time))
                return .done
            case .finish: return .done
            }
        } catch {
            throw PrintError(error)
        }
        if let obstacle = status?.obstacle, !profile.pulsesAtOnce { throw obstacle }
        return .level(isHigh: status?.drawerSwitch.map { $0 == .high })
    }

    /// Nil for a printer that says nothing, unless its profile says that it answers.
    private func status() throws(DeviceError) -> PrinterStatus? {
        guard profile.status != .oneWay else { return nil }
        do throws(DeviceError) {
            return try StatusQuery(profile.language).ask(transport)
        } catch .timedOut where profile.status == .unknown {
            return nil
        } catch {
            throw error
        }
    }
}
