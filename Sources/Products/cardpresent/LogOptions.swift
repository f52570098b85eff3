public import ArgumentParser
import CardCryptography
import Console
import EMVReplay
import FoundationEssentials
import SmartCard
private import TLV
public import TraceImport

/// The format of a log, if it is not detected.
struct LogFormatOption: ParsableArguments {
    @Option(
        help: ArgumentHelp("The format of the log. Default: detected.", valueName: "format"))
    var from: LogFormat?

    func read(
        _ path: String, brokenParts: BrokenParts, hiddenDigits: APDUTrace.HiddenDigits = .refused
    ) throws(InputError) -> LogImport {
        let bytes = try InputFile.bytes(path, maximumSize: LogImport.maximumSize)
        do throws(LogProblem) {
            return try LogImport(bytes, format: from, brokenParts: brokenParts, hiddenDigits: hiddenDigits)
        } catch {
            throw InputError("\(InputFile.name(path)): \(error)")
        }
    }
}

/// The options for reading logs.
struct LogOptions: ParsableArguments {
    @OptionGroup var format: LogFormatOption

    @Flag(help: "Skip broken lines and packets, and report them, instead of refusing the log.")
    var skipBadLines = false

    /// Reads the log at `path`, and reports its skipped parts on standard error.
    func read(_ path: String) throws(InputError) -> LogImport {
        let log = try quietly(path)
        for problem in log.problems {
            printError(
                Masking.text(
                    "\(InputFile.name(path)): \(problem)\(problem.reason == .commandWithoutAnswer ? "" : ": left out")")
            )
        }
        return log
    }

    func quietly(_ path: String) throws(InputError) -> LogImport {
        try format.read(path, brokenParts: skipBadLines ? .skipped : .refused)
    }
}

extension LogFormat: ExpressibleByArgument {}

/// Whether card data of a log are shown: only if requested, and if all card numbers in it are
/// published test numbers.
struct CardDataOption: ParsableArguments {
    @Flag(help: "Show PANs, tracks and names in full. For test cards only.")
    var showCardData = false

    /// A refused request is reported on standard error.
    func areShown(_ trace: APDUTrace, of path: String) -> Bool {
        guard showCardData else { return false }
        guard !trace.hasHiddenDigits else {
            printError("\(InputFile.name(path)): card data are masked in the log itself: there is nothing to show")
            return false
        }
        guard trace.hasOnlyTestCards else {
            printError(
                "\(InputFile.name(path)): the log has a card number that is not a published test number; card data stay masked"
            )
            return false
        }
        return true
    }
}

/// The certification authority public keys for checking certificates.
struct CAKeyOptions: ParsableArguments {
    @Option(help: "A file of certification authority public keys. Default: the published test keys in Vectors/keys.")
    var caKeys: String?

    @Option(help: "The folder Vectors of CardPresent. Default: the one near the executable or the current folder.")
    var vectors: String?

    /// The keys that are given, or the published ones. A line that is not a key is skipped, with a
    /// message on standard error.
    func keys() throws -> [CAPublicKey] {
        let path =
            try caKeys
            ?? VectorFolder.find(vectors).appending(path: "keys/ca-test-keys.tsv").path(percentEncoded: false)
        let (keys, problems) = CAPublicKeyFile.read(try InputFile.text(path))
        if keys.isEmpty, let first = problems.first { throw InputError("\(InputFile.name(path)): \(first)") }
        for problem in problems { printError("\(InputFile.name(path)): \(problem): left out") }
        return keys
    }

    /// Empty if no keys are requested and the published ones are missing.
    func keysIfAny() throws -> [CAPublicKey] {
        if caKeys == nil, vectors == nil, (try? VectorFolder.find()) == nil { return [] }
        return try keys()
    }
}

/// Private keys of terminals, for logs of kernel 8 whose heads do not have them.
struct Kernel8KeyOption: ParsableArguments {
    @Option(
        name: .customLong("kernel-8-key"),
        help: ArgumentHelp(
            "The terminal's private key for a log of kernel 8 whose head does not have it: 64 or 132 hexadecimal digits, or a file with such lines that only you can read. May be repeated, one for each tap. For test cards only.",
            valueName: "digits or file"))
    var given: [String] = []

    /// The keys, as hexadecimal digits.
    func keys() throws(InputError) -> [String] {
        var keys: [String] = []
        for text in given {
            if RecordedChannelKeys.isKey(text) {
                keys.append(text)
                continue
            }
            if text.allSatisfy(\.isHexDigit) {
                throw InputError("--kernel-8-key is not a private key: it needs 64 or 132 hexadecimal digits")
            }
            let lines = try SecretInput.text(text).split(whereSeparator: \.isNewline).map { line in
                line.filter { !$0.isWhitespace }
            }
            for (number, line) in lines.enumerated() where !line.isEmpty && !line.hasPrefix("#") {
                guard RecordedChannelKeys.isKey(line) else {
                    throw InputError(
                        "\(InputFile.name(text)): line \(number + 1) is not a private key: it needs 64 or 132 hexadecimal digits"
                    )
                }
                keys.append(line)
            }
        }
        return keys
    }
}
