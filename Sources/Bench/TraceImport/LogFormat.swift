/// The formats of logs of conversations with cards.
public enum LogFormat: String, CaseIterable, Sendable {
    /// Our own (`docs/trace-format.md`).
    case trace
    /// Commands and answers in hexadecimal digits, one a line: with a word or an arrow before each,
    /// or in turn.
    case pairs
    /// What pcscd writes with `--debug --apdu`.
    case pcscd
    case pcscSpy = "pcsc-spy"
    /// What `opensc-tool -s` prints, and OpenSC's debug log.
    case openSC = "opensc"
    /// `trace list` of ISO/IEC 14443-4, and the `>>>` and `<<<` lines of the client.
    case proxmark
    /// What scriptor of pcsc-tools prints.
    case scriptor
    /// What the window of gscriptor shows, of pcsc-tools too.
    case gscriptor
    /// What pyscard's console observer prints.
    case pyscard
    /// The debug log of python-emv.
    case pythonEMV = "python-emv"
    /// What gp.jar and apdu4j print with `-d`.
    case globalPlatformPro = "gp"
    /// A recording of cardpeek.
    case cardpeek
    /// What cardpeek's window shows.
    case cardpeekView = "cardpeek-view"
    /// The log of EMV-NFC-Paycard-Enrollment's PC/SC provider.
    case paycard
    /// A capture of a CCID reader's USB traffic: pcap or pcapng, taken from usbmon.
    case usbmon
    /// A capture of SIMtrace 2's GSMTAP datagrams: pcap or pcapng.
    case gsmtap
}

/// How the import treats a broken line or packet.
public enum BrokenParts: Sendable {
    /// The import refuses the log at the first one.
    case refused
    /// The import skips and reports them.
    case skipped
}
