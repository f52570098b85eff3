import CFuzzer
import Modules

@c(FuzzBackOffice_main)
public func start(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
    run_fuzzer(count, arguments) { fuzz($0, $1) }
}

/// A key of this fuzz target alone.
private let signature = CallbackSignature(key: SecretBytes("a key for fuzzing".utf8))!

/// What comes from outside to a back office or to a merchant's server. The first byte chooses.
private func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    guard let choice = bytes.first else { return 0 }
    let content = Array(bytes.dropFirst())
    switch choice % 4 {
    case 0: readInventory(content, [.comma, .semicolon, .tab][Int(choice >> 2) % 3])
    case 1: receive(content)
    case 2: verify(content)
    default: readText(String(decoding: content, as: UTF8.self))
    }
    return 0
}

/// The same rows, or the same error, in pieces of any size.
private func readInventory(_ bytes: [UInt8], _ separator: CSVReader.Separator) {
    let whole = rows([bytes], separator)
    guard rows(bytes.map { [$0] }, separator) == whole else { fatalError("pieces are read differently") }
    do throws(InventoryError) {
        let inventory = try Inventory(csv: [bytes], separator: separator, currency: .euro)
        guard Set(inventory.items.map(\.id)).count == inventory.items.count else { fatalError("an id is there twice") }
    } catch {
        guard !error.description.isEmpty, !error.description.hasSteeringCharacters else {
            fatalError("an error steers")
        }
    }
}

private func rows(_ pieces: [[UInt8]], _ separator: CSVReader.Separator) -> Result<[CSVRow], CSVError> {
    var reader = CSVReader(separator)
    do throws(CSVError) {
        var rows: [CSVRow] = []
        for piece in pieces { rows += try reader.append(piece) }
        return .success(rows + (try reader.finish()))
    } catch {
        return .failure(error)
    }
}

/// A callback that is read says the same when it is written and read again.
private func receive(_ body: [UInt8]) {
    do throws(CallbackError) {
        let fields = try CallbackReceiver(nil).receive(body, header: nil, now: 0)
        guard (try? CallbackFields(parsing: fields.form.body)) == fields else { fatalError("a callback has changed") }
        let header = signature.header(for: body, now: 1000)
        guard (try? CallbackReceiver(signature).receive(body, header: header, now: 1000)) == fields else {
            fatalError("a signed callback is not believed")
        }
    } catch {
        guard !error.description.isEmpty, !error.description.hasSteeringCharacters else {
            fatalError("an error steers")
        }
    }
}

/// No header is believed but the one of the signature.
private func verify(_ bytes: [UInt8]) {
    let header = String(decoding: bytes, as: UTF8.self)
    let body: [UInt8] = [1, 2, 3]
    guard (try? signature.verify(header, for: body, now: 1000)) != nil else { return }
    guard (700...1300).contains(where: { signature.header(for: body, now: $0) == header.lowercased() }) else {
        fatalError("a stranger is believed")
    }
}

private func readText(_ text: String) {
    _ = SearchPhrase(text)
    if let day = CivilDay(text), CivilDay(day.description) != day { fatalError("a day has changed") }
    if let hash = PasswordHash(text: text), PasswordHash(text: hash.text) != hash { fatalError("a hash has changed") }
    if let address = try? CallbackAddress(text), let numeric = IPAddress(address.host), !numeric.isPublic {
        fatalError("an address of the own network is permitted")
    }
}
