internal import CardCryptography
internal import CardReaders
public import JSONDocument

/// Why a configuration package is refused.
public enum PackageError: Error, Equatable, Sendable {
    /// The archive is not a zip archive, is damaged, or exceeds a limit.
    case archive(ArchiveFault)
    /// The key of the signer is not RSA of 2048 to 4096 bits nor P-256, or not in PEM.
    case signerKey(KeyFault)
    /// The package does not contain the file of this name.
    case missing(String)
    /// The signature over the manifest is not of this signer.
    case wrongSignature
    /// The manifest is invalid.
    case manifest(TextFault)
    /// The package has a file of this name, which the manifest does not list.
    case notListed(String)
    /// The SHA-256 of the file of this name is not the manifest's.
    case wrongDigest(String)
    /// The loader of the file does not take its contents.
    case contents(file: String, TextFault)

    /// Why an archive is refused. Names are those of files in the archive.
    public enum ArchiveFault: Error, Equatable, Sendable {
        /// The package has more than ``DevicePackage/maximumSize`` bytes.
        case packageTooLarge
        /// It is not a zip archive, or is damaged.
        case notAnArchive
        /// It has more than 256 files.
        case tooManyFiles
        /// The file by its number, from 1. Its name may not be shown.
        case invalidName(Int)
        /// Two files have this name.
        case doubledName(String)
        /// The file has more than 32 MiB.
        case tooLarge(String)
        /// The files together have more than 32 MiB.
        case allTooLarge
        /// The file grows more than 200 times.
        case suspicious(String)
        /// The file is encrypted, or packed by another method than deflate.
        case notSupported(String)
        /// The length or the CRC-32 of the file is wrong.
        case damaged(String)
        /// libzip cannot write the archive.
        case notWritten
    }

    /// Why a signer's key is refused.
    public enum KeyFault: Error, Equatable, Sendable {
        /// It is not a key in PEM, or is encrypted with a password.
        case notAKey
        /// It is neither RSA of 2048 to 4096 bits nor P-256.
        case notSupported
    }

    /// Why the text of a manifest or of another file is refused.
    public enum TextFault: Error, Equatable, Sendable {
        /// It is not UTF-8.
        case notUTF8
        /// A value of the document is invalid.
        case document(DocumentError)
        /// A Miura PIN pad does not take a file of this length or this name.
        case miuraFile
    }
}

extension PackageError.KeyFault {
    init(_ error: DocumentSignatureKeyError) {
        self =
            switch error {
            case .notAKey: .notAKey
            case .notSupported: .notSupported
            }
    }
}

extension PackageError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .archive(let fault): "the package cannot be opened: \(fault)"
        case .signerKey(let fault): "the key of the signer is invalid: \(fault)"
        case .missing(let name): "the package has no \(name)"
        case .wrongSignature:
            "the signature of the package is not of this signer: get the package again, or give the signer's key"
        case .manifest(let fault): "the manifest of the package is invalid: \(fault)"
        case .notListed(let name): "the manifest of the package does not list \(name)"
        case .wrongDigest(let name): "\(name) in the package differs from the manifest: get the package again"
        case .contents(let file, let fault): "\(file) in the package is invalid: \(fault)"
        }
    }
}

extension PackageError.ArchiveFault: CustomStringConvertible {
    public var description: String {
        switch self {
        case .packageTooLarge: "larger than \(DevicePackage.maximumSize >> 20) MiB"
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

extension PackageError.KeyFault: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notAKey: "not a key in PEM without a password"
        case .notSupported: "the key is neither RSA of 2048 to 4096 bits nor on P-256"
        }
    }
}

extension PackageError.TextFault: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notUTF8: "not UTF-8"
        case .document(let error): "\(error)"
        case .miuraFile:
            "a Miura PIN pad takes 1 to \(MiuraFile.maximumSize) bytes, with a name of 1 to \(MiuraFile.longestName) letters, digits, '-', '.' and '_'"
        }
    }
}
