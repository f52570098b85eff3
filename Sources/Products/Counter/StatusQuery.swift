import DeviceIO
import Printing

/// Asks a printer for its status, once.
struct StatusQuery {
    private let language: PrinterProfile.Language
    private let limit: Duration

    init(_ language: PrinterProfile.Language, limit: Duration = PrintJob.Limits().status) {
        self.language = language
        self.limit = limit
    }

    /// - Throws: `timedOut` for a printer that says nothing or not all; `malformed` for one of
    ///   another language.
    func ask(_ transport: any ByteTransport) throws(DeviceError) -> PrinterStatus {
        var decoder = StatusDecoder(language)
        let deadline = Deadline.after(limit)
        try transport.write(decoder.request(), by: deadline)
        var status = PrinterStatus()
        while decoder.isWaiting {
            for message in decoder.receive(try transport.read(atMost: 4096, by: deadline)) {
                switch message {
                case .status(let said): status = said
                case .otherLanguage: throw .malformed(.printerStatus, .unexpected)
                case .end: break
                }
            }
        }
        return status
    }
}

extension DeviceError.Message {
    fileprivate static let printerStatus = Self(rawValue: "printer status")
}
