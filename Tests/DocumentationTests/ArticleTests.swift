import CardBench
import CardPresent
import Foundation
import Testing

/// The articles of the library: their samples are compiled with this target, and one of them is
/// run.
@Suite("The samples of the library's articles") struct ArticleTests {
    private static let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    private static let catalog = package.appending(path: "Sources/Products/CardPresent/CardPresent.docc")
    private static let names = [
        "CardPresent", "FirstSale", "TillWithGatewayAndPIN", "RefundsAndCaptures", "Production", "Glossary",
        "PrintingReceipts",
        "UnknownOutcomes", "Offline", "SecureCards", "Listening", "ReadersAndFallback", "MovingFromASecureCardSDK",
        "MovingFromAnAcceptSDK", "MovingFromACheckoutSDK", "MovingFromECPSdk", "MovingFromCardinal",
    ]

    private static func text(_ name: String) throws -> String {
        try String(contentsOf: catalog.appending(path: "\(name).md"), encoding: .utf8)
    }

    private static func snippets() throws -> [[Substring]] {
        let folder = package.appending(path: "Tests/DocumentationTests/Snippets")
        return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil).map {
            try String(contentsOf: $0, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
        }
    }

    /// Whether `block` stands in `source` line by line, all of it further to the right by the same
    /// number of spaces.
    private static func stands(_ block: [Substring], in source: [Substring]) -> Bool {
        guard let first = block.first, block.count <= source.count else { return false }
        return (0...(source.count - block.count)).contains { start in
            let shift = source[start].count - first.count
            guard shift >= 0 else { return false }
            let indent = String(repeating: " ", count: shift)
            return zip(block, source[start...]).allSatisfy { line, found in
                line.isEmpty ? found.isEmpty : found == indent + line
            }
        }
    }

    private static func blocks(_ text: String) -> [[Substring]] {
        text.matches(of: /```swift\n(?<code>(?s).*?)\n```/).map {
            $0.code.split(separator: "\n", omittingEmptySubsequences: false)
        }
    }

    @Test(arguments: names) func everySampleIsCompiled(_ name: String) throws {
        let snippets = try Self.snippets()
        for block in Self.blocks(try Self.text(name)) {
            #expect(snippets.contains { Self.stands(block, in: $0) }, "\(name): \(block.joined(separator: "\n"))")
        }
    }

    @Test("the samples of the README are compiled, their imports in the first line") func readme() throws {
        let snippets = try Self.snippets()
        let text = try String(contentsOf: Self.package.appending(path: "README.md"), encoding: .utf8)
        let blocks = Self.blocks(text)
        #expect(blocks.count == 2)
        for block in blocks {
            #expect(block[0].hasPrefix("import ") && block[1].isEmpty)
            let code = Array(block[2...])
            #expect(snippets.contains { Self.stands(code, in: $0) }, "README: \(code.joined(separator: "\n"))")
        }
    }

    @Test("The kernel of docs/writing-a-kernel.md is compiled") func writingAKernel() throws {
        let snippets = try Self.snippets()
        let text = try String(contentsOf: Self.package.appending(path: "docs/writing-a-kernel.md"), encoding: .utf8)
        let blocks = Self.blocks(text)
        #expect(blocks.count == 5)
        for block in blocks {
            #expect(snippets.contains { Self.stands(block, in: $0) }, "\(block.joined(separator: "\n"))")
        }
    }

    @Test("The samples of docs/card-not-present.md are compiled") func cardNotPresent() throws {
        let snippets = try Self.snippets()
        let text = try String(contentsOf: Self.package.appending(path: "docs/card-not-present.md"), encoding: .utf8)
        let blocks = Self.blocks(text)
        #expect(blocks.count == 6)
        for block in blocks {
            #expect(snippets.contains { Self.stands(block, in: $0) }, "\(block.joined(separator: "\n"))")
        }
    }

    @Test("The samples of docs/basket.md are compiled") func baskets() throws {
        let snippets = try Self.snippets()
        let text = try String(contentsOf: Self.package.appending(path: "docs/basket.md"), encoding: .utf8)
        let blocks = Self.blocks(text)
        #expect(blocks.count == 4)
        for block in blocks {
            #expect(snippets.contains { Self.stands(block, in: $0) }, "\(block.joined(separator: "\n"))")
        }
    }

    @Test func samplesAreFound() throws {
        #expect(try Self.names.map { Self.blocks(try Self.text($0)).count }.reduce(0, +) > 20)
        #expect(Self.stands(["let a = 1", "", "    b"], in: ["x", "    let a = 1", "", "        b"]))
        #expect(!Self.stands(["let a = 1", "b"], in: ["    let a = 1", "  b"]))
        #expect(!Self.stands(["let a = 1"], in: ["let a = 12"]))
    }

    @Test("no article points to one that is not there, and the first page names them all") func links() throws {
        let files = Set(try FileManager.default.contentsOfDirectory(atPath: Self.catalog.path(percentEncoded: false)))
        #expect(files == Set(Self.names.map { "\($0).md" }))
        let start = try Self.text("CardPresent")
        for name in Self.names {
            for link in try Self.text(name).matches(of: /<doc:(\w+)>/) {
                #expect(Self.names.contains(String(link.1)), "\(name)")
            }
            if name != "CardPresent" { #expect(start.contains("<doc:\(name)>")) }
        }
    }

    @Test(
        "what the tables of another library are moved to exists", arguments: names.filter { $0.hasPrefix("MovingFrom") }
    )
    func namesOfTheTables(_ name: String) throws {
        var words: Set<Substring> = []
        let sources = FileManager.default.enumerator(
            at: Self.package.appending(path: "Sources"), includingPropertiesForKeys: nil)
        while let file = sources?.nextObject() as? URL {
            guard file.pathExtension == "swift" else { continue }
            words.formUnion(
                try String(contentsOf: file, encoding: .utf8).split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map {
                    Substring($0)
                })
        }
        let calls = try Self.text(name).split(separator: "## Without a counterpart")[0]
        for row in calls.split(separator: "\n") where row.hasPrefix("|") {
            let ours = row.split(separator: "|").last ?? ""
            for code in ours.matches(of: /`([^`]+)`/) {
                for word in code.1.matches(of: /[A-Za-z]+/)
                where word.0 != "SBX" && word.0 != "PROD" && word.0 != "token" && word.0 != "reference" {
                    #expect(words.contains(word.0), "\(name): \(word.0)")
                }
            }
        }
    }

    @Test("the first sale is approved, and its receipt printed") func firstSale() async throws {
        let response = try await FirstSale.run()
        #expect(response.outcome == .approved)
        #expect(response.receipt.text(for: .cardholder).contains("12.34"))
        #expect(FirstSale.decide(response) == "hand over the goods")
    }

    @Test("A terminal from a file runs the file's kernel over a plain reader; one without a file asks for a kernel")
    func kernelOfTheFile() async throws {
        let profile = CardProfile.visaStyle()
        let card = try PersonalizedCard.make(profile)
        var kernel = TerminalConfiguration.attended(countryCode: 276, caKeys: card.caPublicKeys)
        kernel.accept(profile)
        let file = TerminalFile(
            terminal: Terminal.Configuration(
                merchantName: "Corner Shop", terminalID: "LANE0001", currency: .euro, mode: .test),
            kernel: kernel)
        let host = try BenchHost.temporary(issuer: BenchIssuer.make([profile]))
        let terminal = Terminal(file, host: host, journal: MemoryJournal())
        try await terminal.connect(VirtualReader(card: VirtualCard(card)))
        #expect(try await terminal.processSale(Sale(orderID: "order-1", amount: "12.34 EUR")).outcome == .approved)

        let without = Terminal(configuration: file.terminal, host: host, journal: MemoryJournal())
        let error = await #expect(throws: TerminalError.self) {
            try await without.connect(VirtualReader(card: VirtualCard(card)))
        }
        #expect(error?.code == .refused(.invalidRequest))
    }

    @Test("one till on the bench sells again and again") func secondSale() async throws {
        let terminal = try await Terminal.bench(card: .mastercardStyle())
        for order in ["order-1", "order-2", "order-3"] {
            let response = try await terminal.processSale(Sale(orderID: try OrderID(order), amount: "1.00 EUR"))
            #expect(response.outcome == .approved)
        }
    }

    @Test("A sale on the bench is refunded in part, a deposit is captured, and a sale is reversed") func moneyGoesBack()
        async throws
    {
        let terminal = try await Terminal.bench(card: .visaStyle())
        let sale = try await terminal.processSale(Sale(orderID: "order-16", amount: "12.34 EUR"))
        #expect(try await Refunds.refund(sale, by: terminal)?.outcome == .approved)
        #expect(try await Refunds.setAside(terminal)?.outcome == .approved)
        _ = try await terminal.processSale(Sale(orderID: "order-17", amount: "1.00 EUR"))
        #expect(try await Refunds.undo(terminal) == .reversed(.requested))
        try await Production.start(terminal)
    }

    @Test("A chip below the floor limit is stored while the host is unreachable") func offlineChip() async throws {
        let closed = try RESTGateway(
            GatewayAddress("https://127.0.0.1:9/merchant"),
            account: .init(terminalID: "LANE0001", apiKey: SecretBytes("bench".utf8)))
        #expect(try await OfflineChip.sell(closed).outcome == .storedOffline)
    }

    @Test("a till of the shop begins without a gateway's answer, and says that no reader is there") func shop()
        async throws
    {
        let folder = FileManager.default.temporaryDirectory.appending(path: "shop-\(UUID().uuidString)").path(
            percentEncoded: false)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        for (name, content) in [("gateway.key", "bench-key"), ("journal.key", String(repeating: "5A", count: 32))] {
            let file = "\(folder)/\(name)"
            try Data(content.utf8).write(to: URL(filePath: file))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        }
        let terminal = try await Shop.terminal("https://127.0.0.1:9/merchant", folder)
        let error = await #expect(throws: TerminalError.self) {
            try await terminal.processSale(Sale(orderID: "order-1", amount: "1.00 EUR"))
        }
        #expect(error?.code == .readerNotConnected)
    }
}
