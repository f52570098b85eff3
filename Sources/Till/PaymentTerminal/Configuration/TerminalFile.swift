public import Contactless
public import EMVKernel

/// The configuration of a terminal as one JSON document (docs/terminal-file.md): the merchant, the
/// accepted payments, and the configuration of our kernels over plain readers.
public struct TerminalFile: Sendable {
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
        terminal: Terminal.Configuration, kernel: TerminalConfiguration, contactless: [Combination] = [], caKeyFile: String? = nil,
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
