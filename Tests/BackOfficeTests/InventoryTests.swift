import BackOffice
import Foundation
import PaymentTerminal
import PeerPrograms
import SeededNumbers
import Testing

@Suite struct CSVReaderTests {
    private func fields(_ text: String, pieces: Int = 1 << 16) throws -> [[String]] {
        var reader = CSVReader()
        var rows: [CSVRow] = []
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: pieces) {
            rows += try reader.append(Array(bytes[start..<min(start + pieces, bytes.count)]))
        }
        rows += try reader.finish()
        return rows.map { $0.fields.map(\.text) }
    }

    /// Python's `csv` reads the same fields of random documents, which are read in pieces of any size.
    @Test func pythonReadsTheSame() throws {
        var numbers = SplitMix(seed: 31)
        let letters: [Character] = ["a", ",", "\"", "\n", "é", "漢", " ", "=", ";", "x"]
        let documents = (0..<300).map { _ in
            (0..<Int.random(in: 1...5, using: &numbers)).map { _ in
                (0..<Int.random(in: 1...4, using: &numbers)).map { _ in
                    let text = String(
                        (0..<Int.random(in: 0...6, using: &numbers)).map { _ in letters.randomElement(using: &numbers)!
                        })
                    let isPlain = !text.contains { "\",\n".contains($0) } && Bool.random(using: &numbers)
                    return isPlain ? text : "\"" + text.replacingOccurrences(of: "\"", with: "\"\"") + "\""
                }.joined(separator: ",")
            }.joined(separator: Bool.random(using: &numbers) ? "\r\n" : "\n")
        }
        let file = FileManager.default.temporaryDirectory.appending(path: "csv-\(UUID().uuidString).json")
        defer { try? FileManager.default.removeItem(at: file) }
        try JSONEncoder().encode(documents).write(to: file)
        let printed = try PeerProgram.python(
            """
            import csv, io, json, sys
            documents = json.load(open(sys.argv[1], encoding="utf-8"))
            print(json.dumps([[row for row in csv.reader(io.StringIO(one, newline=""), strict=True) if row]
                for one in documents]))
            """, [file.path])
        let expected = try JSONDecoder().decode([[[String]]].self, from: Data(printed.utf8))
        try #require(expected.count == documents.count)
        for (document, expected) in zip(documents, expected) {
            #expect(try fields(document) == expected, "\(document)")
            #expect(try fields(document, pieces: Int.random(in: 1...3, using: &numbers)) == expected, "\(document)")
        }
    }

    @Test func placesAreLinesAndColumns() throws {
        var reader = CSVReader(.semicolon)
        let rows = try reader.append(Array("\u{FEFF}ä;\"b\nc\"\r\n\r\nd;e\n".utf8)) + reader.finish()
        #expect(rows.map { $0.fields.map(\.text) } == [["ä", "b\nc"], ["d", "e"]])
        #expect(
            rows.map { $0.fields.map(\.place.description) } == [
                ["line 1, column 1", "line 1, column 3"], ["line 4, column 1", "line 4, column 3"],
            ])
    }

    @Test(arguments: [
        ("a,b\"c", CSVError.Fault.quoteInField, 1, 4), ("a\n\"b\"c", .textAfterQuote, 2, 4),
        ("a\n,\"b\nc", .unterminatedQuote, 2, 2), ("a\rb", .carriageReturn, 1, 3), ("a\r", .carriageReturn, 1, 3),
    ])
    func faultsHaveAPlace(text: String, fault: CSVError.Fault, line: Int, column: Int) throws {
        let error = #expect(throws: CSVError.self) { try fields(text) }
        #expect(error?.fault == fault)
        #expect(error?.place == CSVPlace(line: line, column: column))
    }

    @Test(arguments: [[0xFF], [0xEF], [0xEF, 0xBB, 0x41], [0x61, 0xC3], [0xEF, 0xBB]] as [[UInt8]])
    func bytesThatAreNotUTF8(_ bytes: [UInt8]) throws {
        var reader = CSVReader()
        let error = #expect(throws: CSVError.self) { try reader.append(bytes) + reader.finish() }
        #expect(error?.fault == .notUTF8)
    }

    @Test func limits() throws {
        var limits = CSVReader.Limits()
        (limits.size, limits.rows, limits.fields, limits.fieldSize) = (100, 3, 3, 5)
        let cases: [(String, CSVError.Fault)] = [
            (String(repeating: "a\n", count: 51), .tooLarge), ("a\na\na\na", .tooManyRows), ("a,a,a,a", .tooManyFields),
            ("aaaaaa", .fieldTooLong), ("\"aaaa\n\n", .fieldTooLong),
        ]
        for (text, fault) in cases {
            var reader = CSVReader(limits: limits)
            let error = #expect(throws: CSVError.self) { try reader.append(Array(text.utf8)) + reader.finish() }
            #expect(error?.fault == fault)
        }
        var reader = CSVReader(limits: limits)
        #expect(try (reader.append(Array("aaaaa,,\n\na\na\n".utf8)) + reader.finish()).count == 3)
    }

    /// Each piece is made when it is asked for: a gigabyte of them would be, if the reader took all.
    @Test(arguments: ["a,1.00,b,\n", "\"a\n"]) func aGigabyteIsNotRead(_ line: String) {
        let piece = Array(String(repeating: line, count: 65_536 / line.utf8.count).utf8)
        var taken = 0
        let pieces = sequence(state: 0) { (count: inout Int) -> [UInt8]? in
            count += 1
            taken = count
            return count == 1 ? Array("text,price,id,photo\n".utf8) : count < 16_384 ? piece : nil
        }
        #expect(throws: InventoryError.self) { try Inventory(csv: pieces, currency: .euro) }
        #expect(taken <= 1_030)
    }
}

@Suite struct InventoryTests {
    private func inventory(_ text: String, currency: Currency = .euro) throws -> Inventory {
        try Inventory(csv: [Array(text.utf8)], currency: currency)
    }

    @Test("A48: items are read by the names of their columns") func itemsAreReadByTheNamesOfTheirColumns() throws {
        let inventory = try inventory("ID,stock,Photo,TEXT,Price\n17,5,17.png,\"Coffee, black\",2.50\n18,1,,Tea,0.00\n")
        #expect(inventory.items.map(\.id) == ["17", "18"])
        #expect(inventory.items.map(\.text) == ["Coffee, black", "Tea"])
        #expect(inventory.items.map(\.price) == ["2.50 EUR", "0.00 EUR"])
        #expect(inventory.items.map(\.photo) == ["17.png", nil])
        #expect(inventory.formulas == [])
    }

    @Test func formulasAreTextsAndAreTold() throws {
        let inventory = try inventory("text,price,id\n=1+1,1.00,1\n\"@SUM(A1)\",1.00,-2\n+3,1.00,3\nTea,1.00,4\n")
        #expect(inventory.items.map(\.text) == ["=1+1", "@SUM(A1)", "+3", "Tea"])
        #expect(
            inventory.formulas.map(\.description) == [
                "line 2, column 1", "line 3, column 1", "line 3, column 17", "line 4, column 1",
            ])
    }

    @Test(arguments: ["", "\n\n", "text,price\na,1.00", "text,price,id,ID\n", "a,b,c\n"])
    func theColumnsMustBeNamed(_ text: String) {
        #expect(throws: InventoryError.noColumns) { try inventory(text) }
    }

    @Test(arguments: [
        ("a,1.00", InventoryError.Fault.short, 2, 1), (",1.00,1", .text, 2, 1), ("a\u{1B}[2J,1.00,1", .text, 2, 1),
        ("a,1.00,", .id, 2, 8), ("a,1.00,é", .id, 2, 8), ("a,1.00,1\nb,1.00,1", .doubledID, 3, 8),
        ("a,1,1", .price(.decimals(.euro)), 2, 3), ("a,-1.00,1", .price(.notAnAmount), 2, 3),
        ("\"a\nb\",99999999999999999999.00,1", .price(.tooLarge), 3, 4),
        (String(repeating: "a", count: 256) + ",1.00,1", .text, 2, 1),
    ])
    func faultsHaveAPlace(rows: String, fault: InventoryError.Fault, line: Int, column: Int) {
        #expect(throws: InventoryError.item(fault, at: CSVPlace(line: line, column: column))) {
            try inventory("text,price,id\n" + rows)
        }
    }

    @Test func pricesHaveTheDecimalsOfTheirCurrency() throws {
        #expect(
            try inventory("text,price,id\na,250,1", currency: .yen).items[0].price
                == Money(minorUnits: 250, currency: .yen))
    }

    /// The MD5 of `abc` is one of RFC 1321, A.5.
    @Test("A47: a broken transfer is found") func aBrokenTransferIsFound() {
        let file = VersionedFile(version: "1", url: "", md5: "900150983CD24FB0d6963f7d28e17f72")
        #expect(file.isIntact(Array("abc".utf8)))
        #expect(!file.isIntact(Array("abd".utf8)))
    }
}
