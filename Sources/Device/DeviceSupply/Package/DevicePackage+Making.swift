public import Bytes
internal import CardCryptography
internal import JSONDocument

extension DevicePackage {
    /// A file for a new package.
    public struct File: Sendable {
        /// Its path in the archive: printable ASCII, at most 100 characters.
        public let name: String
        /// What it is.
        public let loader: Loader
        /// What it contains.
        public let contents: [UInt8]

        /// A file; ``DevicePackage/archive(maker:models:version:counter:stage:files:key:)`` checks
        /// it.
        public init(name: String, loader: Loader, contents: [UInt8]) {
            self.name = name
            self.loader = loader
            self.contents = contents
        }
    }

    /// Makes the archive of a package, signed. The contents of each file are checked as before a
    /// load.
    ///
    /// - Parameters:
    ///   - maker: The maker of the readers, as they report it.
    ///   - models: The models, as the readers report them; none for every model of the maker.
    ///   - version: 1 to 64 characters.
    ///   - counter: Larger than that of every package before, such as the seconds since 1970.
    ///   - stage: The readers that the package is for.
    ///   - files: In the order in which they are to be loaded.
    ///   - key: The signer's private key in PEM without a password, RSA of 2048 to 4096 bits or
    ///     P-256.
    public static func archive(
        maker: String, models: [String], version: String, counter: Int = 0, stage: Stage, files: [File],
        key: SecretBytes
    ) throws(PackageError) -> [UInt8] {
        let signingKey: DocumentSigningKey
        do { signingKey = try DocumentSigningKey(pem: key) } catch { throw .signerKey(PackageError.KeyFault(error)) }
        let draft = Manifest(
            maker: maker, models: models, version: version, counter: counter, stage: stage,
            files: files.map { Listing(name: $0.name, loader: $0.loader, sha256: SHA256.hash($0.contents)) })
        // Reading it back holds a new manifest to the rules of a foreign one.
        do { _ = try Manifest(parsing: draft.json) } catch { throw .manifest(.document(error)) }
        for file in files { try file.check() }
        let text = Array(draft.json.utf8)
        let entries =
            [
                ZipArchive.Entry(name: manifestName, bytes: text),
                ZipArchive.Entry(name: signatureName, bytes: signingKey.sign(text)),
            ]
            + files.map { ZipArchive.Entry(name: $0.name, bytes: $0.contents) }
        do {
            let bytes = try ZipArchive(entries).bytes()
            // What cannot be opened again must not leave: a file that is too large, or packs too
            // well.
            _ = try ZipArchive(parsing: bytes)
            return bytes
        } catch {
            throw .archive(error)
        }
    }

    /// The files of the package, in the order in which they are loaded.
    public var files: [File] {
        zip(manifest.files, contents).map { File(name: $0.name, loader: $0.loader, contents: $1) }
    }
}
