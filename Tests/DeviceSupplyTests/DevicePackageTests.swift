import Bytes
import CardCryptography
import JSONDocument
import Testing

@testable import DeviceSupply

@Suite struct DevicePackageTests {
    private func entries(_ bytes: [UInt8]) throws -> [ZipArchive.Entry] { try ZipArchive(parsing: bytes).entries }

    private func open(_ entries: [ZipArchive.Entry]) throws -> DevicePackage {
        try DevicePackage(parsing: ZipArchive(entries).bytes(), signer: Signer.p256().publicKey)
    }

    @Test("a package has what it was made of") func made() throws {
        let package = try TestPackage.opened(
            stage: .test, files: [TestPackage.tables(), TestPackage.tables(acquirer: 5)])
        #expect(package.manifest.maker == "SUBDIV")
        #expect(package.manifest.models == ["PP2000;8MB"])
        #expect(package.manifest.stage == .test)
        #expect(package.manifest.version == "2026-11")
        #expect(
            package.files.map(\.name) == ["tables-4.json", "tables-5.json"]
                && package.files[1].contents == TestPackage.tables(acquirer: 5).contents)
    }

    @Test("openssl verifies our signatures, and we verify those of openssl", arguments: [true, false]) func openssl(
        _ isRSA: Bool
    ) throws {
        let signer = try isRSA ? Signer.rsa() : Signer.p256()
        let bytes = try DevicePackage.archive(
            maker: "M", models: [], version: "1", stage: .production, files: [TestPackage.tables()],
            key: SecretBytes(signer.privateKey))
        var entries = try entries(bytes)
        let scratch = try Scratch()
        for (name, content) in [
            ("pub", signer.publicKey), ("key", signer.privateKey), ("text", entries[0].bytes),
            ("sig", entries[1].bytes),
        ] {
            try scratch.write(name, content)
        }
        try scratch.run("openssl", "dgst", "-sha256", "-verify", "pub", "-signature", "sig", "text")
        try scratch.run("openssl", "dgst", "-sha256", "-sign", "key", "-out", "other", "text")
        entries[1] = ZipArchive.Entry(name: "manifest.sig", bytes: try scratch.read("other"))
        let package = try DevicePackage(parsing: ZipArchive(entries).bytes(), signer: signer.publicKey)
        #expect(package.manifest.models.isEmpty)
    }

    @Test("the signer's key must be strong, whole and in PEM") func keys() throws {
        let bytes = try TestPackage.archive()
        for weak in [try Signer("RSA", "rsa_keygen_bits:1024"), try Signer("EC", "ec_paramgen_curve:P-384")] {
            #expect(throws: PackageError.signerKey(.notSupported)) {
                try DevicePackage(parsing: bytes, signer: weak.publicKey)
            }
        }
        for text in [[], Array("-----BEGIN PUBLIC KEY-----".utf8), try Signer.p256().privateKey] {
            #expect(throws: PackageError.signerKey(.notAKey)) {
                try DevicePackage(parsing: bytes, signer: text)
            }
        }
        #expect(throws: PackageError.wrongSignature) {
            try DevicePackage(parsing: bytes, signer: Signer.rsa().publicKey)
        }
    }

    @Test("a key with a password is refused, without asking for it") func encryptedKey() throws {
        let scratch = try Scratch()
        try scratch.write("key", Signer.p256().privateKey)
        try scratch.run("openssl", "pkey", "-in", "key", "-aes256", "-passout", "pass:x", "-out", "locked")
        #expect(throws: DocumentSignatureKeyError.notAKey) {
            try DocumentSigningKey(pem: SecretBytes(scratch.read("locked")))
        }
    }

    @Test("what was changed after signing is refused") func changed() throws {
        let entries = try entries(TestPackage.archive())
        #expect(entries.map(\.name) == ["manifest.json", "manifest.sig", "tables-4.json"])
        func with(_ index: Int, _ change: (inout [UInt8]) -> Void) -> [ZipArchive.Entry] {
            var bytes = entries[index].bytes
            change(&bytes)
            var copy = entries
            copy[index] = ZipArchive.Entry(name: entries[index].name, bytes: bytes)
            return copy
        }
        #expect(throws: PackageError.wrongSignature) { try open(with(0) { $0.append(0x20) }) }
        #expect(throws: PackageError.wrongSignature) { try open(with(1) { $0[$0.count - 1] ^= 1 }) }
        #expect(throws: PackageError.wrongSignature) { try open(with(1) { $0 = [] }) }
        #expect(throws: PackageError.wrongDigest("tables-4.json")) { try open(with(2) { $0[0] ^= 1 }) }
        for (index, name) in ["manifest.json", "manifest.sig", "tables-4.json"].enumerated() {
            var copy = entries
            copy.remove(at: index)
            #expect(throws: PackageError.missing(name)) { try open(copy) }
        }
        #expect(throws: PackageError.notListed("more")) {
            try open(entries + [ZipArchive.Entry(name: "more", bytes: [])])
        }
        #expect(throws: PackageError.archive(.notAnArchive)) {
            try DevicePackage(parsing: [1, 2, 3], signer: Signer.p256().publicKey)
        }
    }

    @Test(
        "an invalid manifest is refused with the place, although it is signed",
        arguments: [
            (#"{"format": 2}"#, "format"), ("[]", "an object is required"),
            (#"{"format": 1, "extra": 1}"#, "extra: unknown key"),
            (#"{"format":1,"maker":"M","models":[],"version":"","stage":"test","files":[]}"#, "version"),
            (
                #"{"format":1,"maker":"M","models":[],"version":"1","stage":"both","files":[]}"#,
                "stage: one of production, test"
            ),
            (
                #"{"format":1,"maker":"M","models":[],"version":"1","stage":"test","files":[]}"#,
                "files: one file at least"
            ),
            (
                #"{"format":1,"maker":"M","models":[],"version":"1","stage":"test","files":[{"name":"../a","loader":"abecs-tables","sha256":""}]}"#,
                "files[0].name"
            ),
            (
                #"{"format":1,"maker":"M","models":[],"version":"1","stage":"test","files":[{"name":"a","loader":"firmware","sha256":""}]}"#,
                "files[0].loader"
            ),
            (
                #"{"format":1,"maker":"M","models":[],"version":"1","stage":"test","files":[{"name":"a","loader":"abecs-tables","sha256":"00"}]}"#,
                "files[0].sha256"
            ),
        ])
    func manifests(_ text: String, _ place: String) throws {
        let key = try DocumentSigningKey(pem: SecretBytes(Signer.p256().privateKey))
        let entries = [
            ZipArchive.Entry(name: "manifest.json", bytes: Array(text.utf8)),
            ZipArchive.Entry(name: "manifest.sig", bytes: key.sign(Array(text.utf8))),
        ]
        let error = #expect(throws: PackageError.self) { try open(entries) }
        guard case .manifest(.document(let fault)) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(fault.description.contains(place), "\(fault)")
    }

    @Test(
        "no package is made of tables that no PIN pad takes",
        arguments: [
            ("{}", "acquirer: missing"), ("x", "a value is missing here"),
            (#"{"acquirer": 100, "version": "1234567890", "records": []}"#, "acquirer"),
            (#"{"acquirer": 1, "version": "12345", "records": []}"#, "version"),
            (#"{"acquirer": 1, "version": "1234567890", "records": []}"#, "records: one record at least"),
            (#"{"acquirer": 1, "version": "1234567890", "records": ["010AAAAAAA", "011AAAAAAA"]}"#, "records[1]"),
        ])
    func contents(_ text: String, _ reason: String) throws {
        let file = DevicePackage.File(name: "t", loader: .abecsTables, contents: Array(text.utf8))
        let error = #expect(throws: PackageError.self) { try TestPackage.archive(files: [file]) }
        guard case .contents("t", .document(let fault)) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(fault.description.contains(reason), "\(fault)")
    }
}
