/// How one issuer script ended (EMV 4.4 Book 4, 6.3.9 and annex A5).
public struct ScriptResult: Sendable, Equatable {
    /// The result of a script: the first half byte of its part of tag `9F5B`.
    public enum End: UInt8, Sendable {
        /// The script was not sent: it is malformed, or the total length of the scripts exceeds the
        /// limit.
        case notPerformed = 0
        /// The card refused a command, or did not answer; the commands after it were not sent.
        case failed = 1
        /// The card accepted every command.
        case successful = 2
    }

    /// Whether the script was a template `71`, for before the second GENERATE AC.
    public let isBeforeFinalCryptogram: Bool
    /// Tag `9F18`, four bytes; zeros if the script has no identifier.
    public let identifier: [UInt8]
    /// The result for the issuer.
    public let end: End
    /// The number, from 1, of the command that failed; 0 if no command failed, 15 for the fifteenth
    /// and all later ones.
    public let failedCommand: Int

    package init(isBeforeFinalCryptogram: Bool, identifier: [UInt8], end: End, failedCommand: Int) {
        self.isBeforeFinalCryptogram = isBeforeFinalCryptogram
        self.identifier = identifier
        self.end = end
        self.failedCommand = failedCommand
    }

    /// The five bytes of this script in the issuer script results, tag `9F5B`.
    public var bytes: [UInt8] { [end.rawValue << 4 | UInt8(clamping: min(failedCommand, 15))] + identifier }

    /// One line for logs.
    public var summary: String {
        let when = isBeforeFinalCryptogram ? "before" : "after"
        switch end {
        case .notPerformed: return "script \(when) final GENERATE AC not performed"
        case .failed: return "script \(when) final GENERATE AC failed at command \(failedCommand)"
        case .successful: return "script \(when) final GENERATE AC successful"
        }
    }
}
