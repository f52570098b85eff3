private import Bytes
public import Contactless
public import EMVKernel
private import FoundationEssentials
public import JSONDocument
public import PaymentTerminal

/// The configuration of a terminal as one JSON document (docs/terminal-file.md): the merchant, the
/// accepted payments, and the configuration of our kernels over plain readers.
public struct TerminalFile: Sendable, TerminalOrigin {
    /// The configuration of the terminal itself.
    public var terminal: Terminal.Configuration
    /// The configuration of our kernel over a plain chip reader.
    public var kernel: TerminalConfiguration
    /// The configuration of our kernels over a plain contactless reader: the contactless
    /// applications, with the limits of each, for Visa's and Mastercard's kernels. Combinations of
    /// other kernels are not written to the document.
    public var contactless: [Combination]
    /// The file of ``TerminalConfiguration/caKeys``, relative to this file's folder; nil for none.
    /// The keys themselves are not written to the document.
    public var caKeyFile: String?
    /// The files of ``Terminal/Configuration/exceptions``, relative to this file's folder; nil for
    /// none. Neither cards nor key are written to the document.
    public var exceptionFiles: ExceptionFileNames?
    /// The file of ``Terminal/Configuration/devices``, relative to this file's folder; nil for
    /// none. The list itself is not written to the document.
    public var deviceFile: String?
    /// The folder of ``Terminal/Configuration/paymentLog``, relative to this file's folder; nil for
    /// none.
    public var paymentLog: LogFolder?

    /// The contents of a document, created by a program.
    public init(
        terminal: Terminal.Configuration, kernel: TerminalConfiguration, contactless: [Combination] = [],
        caKeyFile: String? = nil,
        exceptionFiles: ExceptionFileNames? = nil, deviceFile: String? = nil, paymentLog: LogFolder? = nil
    ) {
        self.terminal = terminal
        self.kernel = kernel
        self.contactless = contactless
        self.caKeyFile = caKeyFile
        self.exceptionFiles = exceptionFiles
        self.deviceFile = deviceFile
        self.paymentLog = paymentLog
    }

    /// The paths of an exception file and its key.
    public struct ExceptionFileNames: Sendable, Equatable {
        /// The path of the list.
        public var file: String
        /// The path of its key, a file that only its owner can read.
        public var key: String

        /// Paths relative to the folder of the document.
        public init(file: String, key: String) {
            self.file = file
            self.key = key
        }
    }

    /// The folder of the payment logs, and how many it keeps.
    public struct LogFolder: Sendable, Equatable {
        /// The path of the folder.
        public var path: String
        /// How many logs of the terminal are kept, 1 or more.
        public var maximumCount: Int

        /// A path relative to the folder of the document.
        public init(path: String, maximumCount: Int = 500) {
            self.path = path
            self.maximumCount = maximumCount
        }
    }
}

extension TerminalFile {
    /// Reads the file, and the CA keys, the exception file and the list of devices that it refers
    /// to.
    ///
    /// - Parameter createsLogFolder: Whether the folder of the payment log is created if it is
    ///   missing. A check of the file by another user must not do that: the terminal could not
    ///   write to it.
    /// - Throws: `DocumentError` with the place of the error:
    ///   `applications[1].aid: 5 to 16 bytes in hexadecimal, got 'A0'`.
    public static func load(_ path: String, createsLogFolder: Bool = true) throws(DocumentError) -> TerminalFile {
        let text = try ConfigurationFile(path: path, place: "", maximumSize: maximumSize).text()
        let folder = URL(filePath: path).deletingLastPathComponent()
        let path = { (name: String) in URL(filePath: name, relativeTo: folder).path(percentEncoded: false) }
        return try TerminalFile(parsing: text) { name throws(DocumentError) in
            try ConfigurationFile(path: path(name), place: "caKeys", maximumSize: maximumSize).text()
        } exceptions: { names throws(DocumentError) in
            try ExceptionFile.load(path(names.file), keyFile: path(names.key))
        } devices: { name throws(DocumentError) in
            try Terminal.DeviceList.load(path(name))
        } paymentLog: { folder throws(DocumentError) in
            do throws(Terminal.PaymentLogFolder.Failure) {
                return try Terminal.PaymentLogFolder(
                    path: path(folder.path), maximumCount: folder.maximumCount, isCreated: createsLogFolder)
            } catch {
                throw DocumentError("paymentLog.folder", ConfigurationFault.logFolder(folder.path, error))
            }
        }
    }

    /// A document with a hundred applications has 50 kB, a file with all published CA keys 100 kB.
    private static let maximumSize: UInt64 = 1 << 20
}

// Limits in minor units of the terminal's currency: at most the 12 digits of an amount (EMV Book 3,
// Annex A, 9F02).

private let maximumAmount = 999_999_999_999

extension Place {
    /// A limit in minor units, of at most 12 digits.
    static func amount<Number: FixedWidthInteger>(_ place: Place) throws(DocumentError) -> Number {
        // ordered: the maximum is a constant above zero
        try place.number(0...Number(clamping: maximumAmount))
    }
}

extension JSON {
    /// A limit in minor units; one of more than 12 digits is written as the maximum.
    static func amount(_ limit: some FixedWidthInteger) -> JSON {
        let written: Int = min(Int(clamping: limit), maximumAmount)
        return .number(written)
    }
}
