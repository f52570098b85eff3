package import DeviceIO

/// Requests, responses and notifications over USB HID or a serial line. For the thread of its
/// device only.
package final class MMSLink {
    private enum Wire {
        case reports(any ReportTransport, MMSPackets.Assembler)
        case line(any ByteTransport, MMSLine.Assembler)
    }

    private var wire: Wire
    private var reference: UInt8 = 0
    /// For a serial line: the bytes read after a message.
    private var received: ArraySlice<UInt8> = []
    /// Notifications received during the wait for a response.
    private var waiting: [MMSMessage] = []

    /// The time limit for the answer to a request.
    private static let timeout = Duration.seconds(5)
    private static let maximumWaiting = 64

    package init(_ transport: any ReportTransport) { wire = .reports(transport, MMSPackets.Assembler()) }
    package init(_ transport: any ByteTransport) { wire = .line(transport, MMSLine.Assembler()) }

    /// Sends a request and waits until the device has accepted it.
    ///
    /// - Throws: ``DeviceError/rejected(_:)`` if it does not.
    package func request(_ code: UInt16, _ payload: [UInt8] = []) throws(DeviceError) {
        _ = try response(to: code, payload)
    }

    /// The payload of the response.
    @discardableResult
    package func response(to code: UInt16, _ payload: [UInt8]) throws(DeviceError) -> [UInt8] {
        reference &+= 1
        let deadline = Deadline.after(Self.timeout)
        try send(MMSMessage.request(code, reference: reference, payload: payload).bytes, by: deadline)
        while true {
            let message = try message(by: deadline)
            switch message.kind {
            case .response where message.reference == reference && message.code == code:
                try MMSStatus.check(message.status)
                return message.payload
            case .notification:
                if waiting.count < Self.maximumWaiting { waiting.append(message) }
            // The response to an earlier request, which no caller awaits any more.
            case .response, .request: break
            }
        }
    }

    /// The next notification.
    package func notification(by deadline: Deadline) throws(DeviceError) -> MMSMessage {
        if !waiting.isEmpty { return waiting.removeFirst() }
        while true {
            let message = try message(by: deadline)
            if message.kind == .notification { return message }
        }
    }

    /// Discards notifications about earlier transactions.
    package func discard() throws(DeviceError) {
        waiting = []
        received = []
        switch wire {
        case .reports(let transport, _):
            try transport.discardReports()
            wire = .reports(transport, MMSPackets.Assembler())
        case .line(let transport, _):
            try transport.drain(silence: .zero)
            wire = .line(transport, MMSLine.Assembler())
        }
    }

    /// Cancels the transaction in progress, if there still is one.
    package func cancelTransaction() throws(DeviceError) {
        do throws(DeviceError) {
            try request(MMSCommand.cancelTransaction)
        } catch .rejected {
            return
        } catch {
            throw error
        }
    }

    private func send(_ message: [UInt8], by deadline: Deadline) throws(DeviceError) {
        switch wire {
        case .reports(let transport, _):
            for packet in MMSPackets.packets(message) { try transport.write(HIDReport(packet), by: deadline) }
        case .line(let transport, _): try transport.write(MMSLine.frame(message), by: deadline)
        }
    }

    private func message(by deadline: Deadline) throws(DeviceError) -> MMSMessage {
        while true {
            try deadline.check()
            switch wire {
            case .reports(let transport, var assembler):
                let report = try transport.read(by: deadline)
                defer { wire = .reports(transport, assembler) }
                if let bytes = try assembler.take(report.revealed()) { return try MMSMessage(parsing: bytes) }
            case .line(let transport, var assembler):
                if received.isEmpty { received = try transport.read(atMost: 4096, by: deadline)[...] }
                defer { wire = .line(transport, assembler) }
                while let byte = received.popFirst() {
                    if let bytes = try assembler.take(byte) { return try MMSMessage(parsing: bytes) }
                }
            }
        }
    }
}
