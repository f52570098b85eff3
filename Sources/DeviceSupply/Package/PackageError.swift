/// Why a configuration package is refused.
public enum PackageError: Error, Equatable, Sendable {
    /// The archive is no zip archive, is damaged, or exceeds a limit; the text says what.
    case archive(String)
    /// The key of the signer is not RSA of 2048 to 4096 bits nor P-256, or not in PEM.
    case signerKey(String)
    /// The package has no such file.
    case missing(String)
    /// The signature over the manifest is not of this signer.
    case wrongSignature
    /// The manifest is invalid; the text has the place.
    case manifest(String)
    /// The package has a file that the manifest does not list.
    case notListed(String)
    /// The SHA-256 of a file is not the manifest's.
    case wrongDigest(String)
    /// What a file contains is not what its loader takes; the text has the file's name and the place.
    case contents(file: String, String)
}

extension PackageError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .archive(let reason): "the package cannot be opened: \(reason)"
        case .signerKey(let reason): "the key of the signer is invalid: \(reason)"
        case .missing(let name): "the package has no \(name)"
        case .wrongSignature: "the signature of the package is not of this signer: get the package again, or give the signer's key"
        case .manifest(let reason): "the manifest of the package is invalid: \(reason)"
        case .notListed(let name): "the manifest of the package does not list \(name)"
        case .wrongDigest(let name): "\(name) in the package differs from the manifest: get the package again"
        case .contents(let file, let reason): "\(file) in the package is invalid: \(reason)"
        }
    }
}

extension ZipArchive.Fault: CustomStringConvertible {
    var description: String {
        switch self {
        case .notAnArchive: "not a zip archive, or damaged"
        case .tooManyFiles: "more than \(ZipArchive.maximumCount) files"
        case .invalidName(let number): "file \(number) has an invalid name: a path within the archive is required"
        case .doubledName(let name): "\(name) is there twice"
        case .tooLarge(let name): "\(name) is larger than \(ZipArchive.maximumSize >> 20) MiB"
        case .allTooLarge: "its files are larger than \(ZipArchive.maximumSize >> 20) MiB together"
        case .suspicious(let name): "\(name) grows more than \(ZipArchive.maximumRatio) times"
        case .notSupported(let name): "\(name) is encrypted, or not packed by deflate"
        case .damaged(let name): "\(name) is damaged"
        case .notWritten: "libzip cannot write it"
        }
    }
}
