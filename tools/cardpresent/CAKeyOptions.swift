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

    /// The keys that are given, or the published ones.
    func keys() throws -> [CAPublicKey] {
        let path = try caKeys ?? VectorFolder.find(vectors).appending(path: "keys/ca-test-keys.tsv").path(percentEncoded: false)
        do {
            return try CAPublicKeyFile.parse(InputFile.text(path))
        } catch let error as CAPublicKeyFileError {
            throw InputError("\(InputFile.name(path)): \(error)")
        }
    }

    /// None if none are asked for and the published ones are not to be found.
    func keysIfAny() throws -> [CAPublicKey] {
        if caKeys == nil, vectors == nil, (try? VectorFolder.find()) == nil { return [] }
        return try keys()
    }
}
