import Bytes
import CardCapture
import CardCryptography
import Foundation
import GRDB
import Glibc
import PaymentTerminal
import SealedStore
import Testing

@testable import BenchHost

@Suite("The vault of the bench host and its key") struct VaultTests {
    private let issuer = TestIssuer(profiles: [])

    private func open(_ folder: String, key: SecretBytes = Bench.vaultKey) throws -> BenchHost {
        try BenchHost(folder: folder, vaultKey: key, issuer: issuer)
    }

    @Test("PCI: card number, track, CVV, PIN, name and details are in no file of the vault, open or closed")
    func canaries() async throws {
        let folder: String
        var bytes: Data
        do {
            let bench = try Bench()
            folder = bench.folder
            var personal = SecureCard.Details()
            personal.email = "MAILCANARY@example.org"
            _ = try await bench.host.registerSecureCard(
                SecureCardRegistration(
                    merchantReference: MerchantReference("c1"), details: personal, card: details(name: "NAMECANARY"),
                    cvv: SecretBytes("737".utf8)))
            _ = try await bench.host.authorize(
                request("o1", "10.00", .keyed(details(), cvv: SecretBytes("CVVCANARY".utf8))))
            let card = try TestCard().captured(atc: 1, pin: TestPINPad.block("1234"))
            _ = try await bench.host.authorize(request("o2", "10.00", .captured(card), registering: "c2"))
            bytes = try bench.bytes
            let files = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(Set(files).isSuperset(of: ["vault.sqlite", "vault.sqlite-wal", "vault.sqlite-shm"]))
            try FileManager.default.copyItem(atPath: folder, toPath: folder + "-copy")
        }
        defer { try? FileManager.default.removeItem(atPath: folder + "-copy") }
        let copy = try open(folder + "-copy")
        #expect(
            try await copy.retrieveSecureCard(MerchantReference("c1")).card?.cardholderName == "NAMECANARY",
            "the copy is whole")
        bytes += try Data(contentsOf: URL(fileURLWithPath: folder + "-copy/vault.sqlite"))
        #expect(bytes.range(of: Data("555555******4444".utf8)) != nil, "the hunt sees what is there")
        let canaries = [
            "5555555555554444", TestCard.pan, "31122010000012300000", "CVVCANARY", "NAMECANARY", "MAILCANARY",
        ].map { Data($0.utf8) }
        let packed = try ["5555555555554444", TestCard.pan, TestPINPad.block("1234").block.hex].map {
            Data(try [UInt8](hex: $0))
        }
        for canary in canaries + packed { #expect(bytes.range(of: canary) == nil) }
    }

    @Test("another key is refused in one line, and the right one still opens") func otherKey() throws {
        let folder = Bench.newFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        _ = try open(folder)
        let error = #expect(throws: StoreError.self) {
            try open(folder, key: SecretBytes([UInt8](repeating: 1, count: 32)))
        }
        #expect(error == .otherKey(store: "vault \(folder)"))
        #expect(error?.description == "vault \(folder) was made with another key: give that key, or another folder")
        #expect(throws: StoreError.keyLength(16)) {
            try open(folder, key: SecretBytes([UInt8](repeating: 1, count: 16)))
        }
        _ = try open(folder)
    }

    @Test("a second opener is refused while the first is there") func inUse() throws {
        let bench = try Bench()
        let error = #expect(throws: StoreError.self) { try open(bench.folder) }
        #expect(
            error?.description
                == "vault \(bench.folder) is in use, by another process or already by this one: close it there, or give another folder"
        )
        withExtendedLifetime(bench) {}
    }

    @Test("a folder that cannot be made or written is refused", arguments: ["/proc/self/vault", "/dev/null/vault"])
    func unwritable(_ folder: String) {
        let error = #expect(throws: StoreError.self) { try open(folder) }
        guard case .unwritable("vault \(folder)", _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("A folder that other users have access to is refused; the message names the cure") func exposed() throws {
        let folder = Bench.newFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o750])
        let error = #expect(throws: StoreError.self) { try open(folder) }
        #expect(error == .exposed(store: "vault \(folder)", path: folder, cure: "chmod 700 \(folder)"))
    }

    @Test("A folder or a file that is a link, or another user's, is refused, and what it leads to stays as it was")
    func foreign() throws {
        let (folder, other) = (Bench.newFolder(), Bench.newFolder())
        defer { for folder in [folder, other] { try? FileManager.default.removeItem(atPath: folder) } }
        for folder in [folder, other] {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
        for link in ["\(other)/link", "\(other)/link/"] {
            try? FileManager.default.createSymbolicLink(atPath: "\(other)/link", withDestinationPath: folder)
            #expect(throws: StoreError.link(store: "vault \(link)", path: link)) { try open(link) }
        }
        let target = "\(other)/somebody's"
        #expect(
            FileManager.default.createFile(atPath: target, contents: Data(), attributes: [.posixPermissions: 0o644]))
        for name in ["vault.sqlite", "vault.sqlite-wal", "vault.sqlite-shm"] {
            let path = "\(folder)/\(name)"
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
            #expect(throws: StoreError.link(store: "vault \(folder)", path: path)) { try open(folder) }
            try FileManager.default.removeItem(atPath: path)
        }
        #expect(try FileManager.default.attributesOfItem(atPath: target)[.posixPermissions] as? Int == 0o644)
        // Root gives a folder away; for anybody else one of root's is another's.
        let others = geteuid() == 0 ? folder : "/etc"
        if geteuid() == 0 { try FileManager.default.setAttributes([.ownerAccountID: 65534], ofItemAtPath: folder) }
        #expect(throws: StoreError.foreign(store: "vault \(others)", path: others)) { try open(others) }
    }

    @Test("a file that is not a database is refused") func notADatabase() throws {
        let folder = Bench.newFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try Data(repeating: 0x41, count: 8192).write(to: URL(fileURLWithPath: folder + "/vault.sqlite"))
        #expect(throws: StoreError.database(store: "vault \(folder)", code: 26)) { try open(folder) }
    }

    @Test("a full disk leaves nothing half written, and the vault goes on when there is room") func diskFull()
        async throws
    {
        let bench = try Bench()
        let card = PaymentCard.keyed(try details(), cvv: nil)
        _ = try await bench.host.authorize(request("o1", "10.00", card))
        try await bench.host.vault.transaction { vault in
            let pages = try #require(try Int.fetchOne(vault.database, sql: "PRAGMA page_count"))
            try vault.database.execute(sql: "PRAGMA max_page_count = \(pages)")
        }
        var secureCard = SecureCard(merchantReference: try MerchantReference("c1"))
        secureCard.details.customFields = [CustomField(name: "Note", value: String(repeating: "x", count: 100_000))]
        let request = AuthorizationRequest(
            orderID: OrderID("o2"), amount: try Money(parsing: "10.00 EUR"), timestamp: Timestamp(secondsSince1970: 0),
            terminalID: "BENCH001", card: card, secureCard: secureCard)
        let error = await #expect(throws: HostError.self) { try await bench.host.authorize(request) }
        #expect(
            error
                == HostError(
                    .internalError, "the disk of vault \(bench.folder) is full: free some space; nothing was stored"))
        #expect(try await bench.orders().map(\.orderID.text) == ["o1"])
        await #expect(throws: HostError.self) { try await bench.host.retrieveSecureCard(MerchantReference("c1")) }
        try await bench.host.vault.transaction { try $0.database.execute(sql: "PRAGMA max_page_count = 1000000") }
        #expect(try await bench.host.authorize(request).secureCardReference != nil)
    }

    @Test("a sealed record moved to another row does not open") func damaged() async throws {
        let bench = try Bench()
        _ = try await bench.host.registerSecureCard(registration("c1"))
        _ = try await bench.host.registerSecureCard(registration("c2", "4111111111111111"))
        try await bench.host.vault.transaction {
            try $0.database.execute(
                sql: """
                    UPDATE secure_card SET pan = (SELECT pan FROM secure_card WHERE merchant_reference = 'c2')
                    WHERE merchant_reference = 'c1'
                    """)
        }
        let error = await #expect(throws: HostError.self) {
            try await bench.host.retrieveSecureCard(MerchantReference("c1"))
        }
        #expect(error == .damagedVault)
    }

    @Test("what was stored is there after a restart") func restart() async throws {
        let folder = Bench.newFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let first = try open(folder)
        let token = try await first.registerSecureCard(registration("c1")).cardReference
        try first.close()
        #expect(try await open(folder).retrieveSecureCard(MerchantReference("c1")).cardReference == token)
    }

    @Test("the folder of a host whose process was ended is deleted by the next, a folder in use is not")
    func abandonedFolders() throws {
        let folders = FileManager.default.temporaryDirectory
        func folder(_ name: String, age: Double) throws -> String {
            let path = folders.appending(path: name + UUID().uuidString).path(percentEncoded: false)
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            #expect(FileManager.default.createFile(atPath: path + "/vault.sqlite", contents: Data()))
            try FileManager.default.setAttributes([.modificationDate: Date.now - age], ofItemAtPath: path)
            return path
        }
        let (abandoned, young) = (try folder("cardpresent-bench-", age: 3600), try folder("cardpresent-bench-", age: 0))
        let (other, used) = (try folder("cardpresent-", age: 3600), try folder("cardpresent-bench-", age: 3600))
        defer { for path in [young, other, used] { try? FileManager.default.removeItem(atPath: path) } }
        let descriptor = unsafe Glibc.open(used, O_RDONLY)
        #expect(flock(descriptor, LOCK_EX) == 0)
        defer { close(descriptor) }
        do {
            let host = try BenchHost.temporary(issuer: TestIssuer(profiles: []))
            #expect(host.testOnlyReason != nil)
        }
        #expect(!FileManager.default.fileExists(atPath: abandoned))
        for path in [young, other, used] { #expect(FileManager.default.fileExists(atPath: path)) }
    }
}
