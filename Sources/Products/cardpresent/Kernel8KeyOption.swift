import ArgumentParser
import Console
import EMVReplay
import SmartCard

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
            let lines = try SecretInput.text(text).split(whereSeparator: \.isNewline).map { line in line.filter { !$0.isWhitespace } }
            for (number, line) in lines.enumerated() where !line.isEmpty && !line.hasPrefix("#") {
                guard RecordedChannelKeys.isKey(line) else {
                    throw InputError(
                        "\(InputFile.name(text)): line \(number + 1) is not a private key: it needs 64 or 132 hexadecimal digits")
                }
                keys.append(line)
            }
        }
        return keys
    }
}
