internal import ArgumentParser
import CardCryptography
import Console
import FoundationEssentials

/// With which certification authority public keys certificates are checked.
struct CAKeyOptions: ParsableArguments {
    @Option(help: "A file of certification authority public keys.")
    var caKeys: String?

    @Option(help: "The folder of CardPresent's vectors.")
    var vectors: String?

    /// The keys that are given, or the published ones. A line that is no key is left out, and told of on standard error.
    ///
    /// - Parameter tellsProblems: False for a process whose parent has told of them.
    func keys(tellsProblems: Bool = true) throws -> [CAPublicKey] {
        let path = try caKeys ?? VectorFolder.find(vectors).appending(path: "keys/ca-test-keys.tsv").path(percentEncoded: false)
        let (keys, problems) = CAPublicKeyFile.read(try InputFile.text(path))
        if keys.isEmpty, let first = problems.first { throw InputError("\(InputFile.name(path)): \(first)") }
        if tellsProblems { for problem in problems { printError("\(InputFile.name(path)): \(problem): left out") } }
        return keys
    }

    /// None if none are asked for and the published ones are not to be found.
    func keysIfAny() throws -> [CAPublicKey] {
        if caKeys == nil, vectors == nil, (try? VectorFolder.find()) == nil { return [] }
        return try keys()
    }
}
