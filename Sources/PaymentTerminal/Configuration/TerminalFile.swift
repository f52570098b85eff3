public import Contactless
public import EMVKernel

/// The configuration of a terminal as one JSON document (docs/terminal-file.md): who it belongs to, what it takes, and what our kernel does over a plain
/// chip reader.
public struct TerminalFile: Sendable {
    /// Of the terminal itself.
    public var terminal: Terminal.Configuration
    /// Of our kernel, which runs over a plain chip reader.
    public var kernel: TerminalConfiguration
    /// Of our kernels over a plain contactless reader: the applications that are taken by tap, with the limits of each; of Visa's and Mastercard's kernels. Combinations
    /// of other kernels are not written to the document.
    public var contactless: [Combination]
    /// The file that ``TerminalConfiguration/caKeys`` come from, from this file's folder; nil for none. The keys themselves are not written to the document.
    public var caKeyFile: String?
    /// The files that ``Terminal/Configuration/exceptions`` come from, from this file's folder; nil for none. Neither cards nor key are
    /// written to the document.
    public var exceptionFiles: ExceptionFileNames?

    /// The contents of a document that a program writes itself.
    public init(
        terminal: Terminal.Configuration, kernel: TerminalConfiguration, contactless: [Combination] = [], caKeyFile: String? = nil,
        exceptionFiles: ExceptionFileNames? = nil
    ) {
        self.terminal = terminal
        self.kernel = kernel
        self.contactless = contactless
        self.caKeyFile = caKeyFile
        self.exceptionFiles = exceptionFiles
    }

    /// Where an exception file and its key are.
    public struct ExceptionFileNames: Sendable, Equatable {
        /// The path of the list.
        public var file: String
        /// The path of its key, a file that only its owner can read.
        public var key: String

        /// Paths from the folder of the document that names them.
        public init(file: String, key: String) {
            self.file = file
            self.key = key
        }
    }
}
