internal import CardCryptography
internal import JSONDocument

/// A configuration package: a zip archive of files for readers, with a manifest that says which
/// readers they are for, and a signature over the manifest.
///
/// The archive has `manifest.json`, `manifest.sig` and the files that the manifest lists, and
/// nothing else. The signature is over the bytes of `manifest.json`: RSASSA-PKCS1-v1_5 or ECDSA on
/// P-256, with SHA-256. The manifest has the SHA-256 of each file. A value of this type exists only
/// of a package whose signature and digests are right.
public struct DevicePackage: Sendable {
    /// The maximum length of a package in bytes.
    public static let maximumSize = 32 << 20
    /// The largest integer that every reader of JSON keeps (RFC 8259, 6).
    static let largestCounter = 9_007_199_254_740_991
    static let (manifestName, signatureName) = ("manifest.json", "manifest.sig")
    static let ownNames = [manifestName, signatureName]
    private static let longestManifest = 256 << 10

    /// What the package is for.
    public let manifest: Manifest
    /// The SHA-256 of the bytes of the manifest, which identifies the package.
    public let digest: [UInt8]
    /// The contents of the files, in the manifest's order.
    let contents: [[UInt8]]

    /// Opens a package and checks it whole.
    ///
    /// - Parameters:
    ///   - bytes: The archive.
    ///   - signer: The public key of the signer in PEM, RSA of 2048 to 4096 bits or P-256.
    public init(parsing bytes: [UInt8], signer: [UInt8]) throws(PackageError) {
        let key: DocumentVerificationKey
        do { key = try DocumentVerificationKey(pem: signer) } catch { throw .signerKey(PackageError.KeyFault(error)) }
        guard bytes.count <= Self.maximumSize else { throw .archive(.packageTooLarge) }
        let archive: ZipArchive
        do { archive = try ZipArchive(parsing: bytes) } catch { throw .archive(error) }
        let files = Dictionary(uniqueKeysWithValues: archive.entries.map { ($0.name, $0.bytes) })
        guard let text = files[Self.manifestName], text.count <= Self.longestManifest else {
            throw .missing(Self.manifestName)
        }
        guard let signature = files[Self.signatureName] else { throw .missing(Self.signatureName) }
        // Before anything is read of it.
        guard key.verifies(signature, over: text) else { throw .wrongSignature }
        guard let document = String(validating: text, as: UTF8.self) else { throw .manifest(.notUTF8) }
        let manifest: Manifest
        do { manifest = try Manifest(parsing: document) } catch { throw .manifest(.document(error)) }
        if let stranger = files.keys.filter({ name in
            !Self.ownNames.contains(name) && !manifest.files.contains { $0.name == name }
        }).min() {
            throw .notListed(stranger)
        }
        var contents: [[UInt8]] = []
        for listing in manifest.files {
            guard let file = files[listing.name] else { throw .missing(listing.name) }
            guard SHA256.hash(file) == listing.sha256 else { throw .wrongDigest(listing.name) }
            contents.append(file)
        }
        self.manifest = manifest
        self.contents = contents
        digest = SHA256.hash(text)
    }
}
