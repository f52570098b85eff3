public import EMVKernel

/// The configuration of a terminal as one JSON document (docs/terminal-file.md): who it belongs to, what it takes, and what our kernel does over a plain
/// chip reader.
public struct TerminalFile: Sendable {
    /// For ``Terminal/init(configuration:host:journal:clock:)``.
    public var terminal: Terminal.Configuration
    /// For ``Terminal/connectReader(_:kernel:pinPad:)``.
    public var kernel: TerminalConfiguration
    /// The file that ``TerminalConfiguration/caKeys`` come from, from this file's folder; nil for none. The keys themselves are not written to the document.
    public var caKeyFile: String?

    /// The contents of a document that a program writes itself.
    public init(terminal: Terminal.Configuration, kernel: TerminalConfiguration, caKeyFile: String? = nil) {
        self.terminal = terminal
        self.kernel = kernel
        self.caKeyFile = caKeyFile
    }
}
