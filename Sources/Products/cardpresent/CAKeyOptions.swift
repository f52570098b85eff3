internal import ArgumentParser
import CardCryptography
import Console
import FoundationEssentials

/// The certification authority public keys for checking certificates.
struct CAKeyOptions: ParsableArguments {
    @Option(help: "A file of certification authority public keys. Default: the published test keys in Vectors/keys.")
    var caKeys: String?

    @Option(help: "The folder Vectors of CardPresent. Default: the one near the executable or the current folder.")
    var vectors: String?

    /// The keys that are given, or the published ones. A line that is not a key is skipped, with a
    /// message on standard error.
    func keys() throws -> [CAPublicKey] {
        let path = try caKeys ?? VectorFolder.find(vectors).appending(path: "keys/ca-test-keys.tsv").path(percentEncoded: false)
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
