import Bytes
import CardCryptography
import Foundation
import ReaderDoubles
import Testing
import VirtualCard

/// `cardpresent sale`, `record` and `secure-card` at readers that are played on a pseudoterminal.
/// The card is a published test card of the payment systems. The keys are those of the example in
/// ANSI X9.24-1:2009, annex A; what they encipher was computed with OpenSSL.
@Suite("readers on a line", .timeLimit(.minutes(20))) struct LineReaderSaleTests {
    private func sale(_ place: Workspace, _ reader: String, _ more: String...) async throws -> Run {
        try await place.run(
            Executables.cardpresent, ["sale", "12.34", "--reader", reader, "--vault", place.path("vault")] + more)
    }

    // MARK: NEO readers that encipher

    /// `;4761739001010119=49121010000000000?` under the data key of the serial number, CBC with IV
    /// 0, filled up with zeros.
    private static let tdes = "C984ABCC7F014DFEEA90879A0F95652F87E784DD37257CE9E8EBC6E4FA219A22E423631140C6DFCF"
    private static let aes =
        "EBBFC393417F72C851825953915AB26DD641C855CBD037E21F902A99F93EBB8A2DC2F7E8EC1986B47C8E9630C88A1944"
    private static let serial = "62994901190000000002"

    /// The enhanced format (80000502-001) with track 2 masked and encrypted, in the envelope of
    /// 80096504, behind the attribution byte of a swipe (80139403-002).
    private static func swipe(_ ciphertext: String, isAES: Bool) throws -> String {
        let fields: [UInt8] = [0x80, 0x12, 0, 36, 0, isAES ? 0x12 : 0x02, 0x82]
        let data = fields + Array(";4761********0119=4912*************?".utf8) + (try [UInt8](hex: ciphertext + serial))
        var (exclusive, sum): (UInt8, UInt8) = (0, 0)
        for byte in data { (exclusive, sum) = (exclusive ^ byte, sum &+ byte) }
        let head: [UInt8] = [0x02, UInt8(data.count & 0xFF), UInt8(data.count >> 8)]
        let envelope = head + data + [exclusive, sum, 0x03]
        return "88" + "9F390190" + "DFEE2382" + [UInt8(envelope.count >> 8), UInt8(envelope.count & 0xFF)].hex
            + envelope.hex
    }

    @Test(
        "a NEO reader that enciphers its swipes sells and registers with the keys at the host",
        arguments: [(tdes, false), (aes, true)])
    func enciphered(_ ciphertext: String, _ isAES: Bool) async throws {
        let swipe = EmulatedNEO.Activation.answers([(status: 0x00, data: try Self.swipe(ciphertext, isAES: isAES))])
        let neo = EmulatedNEO(activations: [swipe, swipe, swipe])
        let line = try PseudoTerminalLine { neo.live($0) }
        try await inWorkspace { place in
            let keys = try place.secret("keys.txt", "tdes base 0123456789ABCDEFFEDCBA9876543210\n")
            let sold = try await sale(place, "idtechneo:\(line.path)", "--key-file", keys)
            #expect(sold.status == 0, "\(sold.output) \(sold.errors)")
            #expect(sold.output.contains("Magnetic stripe"))
            #expect(sold.output.contains("**** 0119"))
            #expect(sold.output.contains("APPROVED"))
            let kept = try await place.run(
                "secure-card", "register", "customer", "--reader", "idtechneo:\(line.path)", "--key-file", keys,
                "--vault",
                place.path("vault"))
            #expect(kept.status == 0, "\(kept.output) \(kept.errors)")
            #expect(kept.output.contains("476173******0119"), "\(kept.output) \(kept.errors)")
            let other = try place.secret("other.txt", "tdes base FEDCBA98765432100123456789ABCDEF\n")
            let refused = try await sale(place, "idtechneo:\(line.path)", "--key-file", other)
            #expect(refused.status != 0, "\(refused.output)")
            #expect(!refused.output.contains("APPROVED"), "\(refused.output)")
            for run in [sold, kept, refused] { #expect(Canary.hunt(run.output + run.errors) == []) }
        }
    }

    // MARK: Contacts of NEO readers

    @Test("a chip in the contacts of a NEO reader is sold with, recorded and registered") func chip() async throws {
        let card = try PersonalizedCard.make(.visaStyle())
        let neo = EmulatedNEO(contacts: .init(VirtualCard(card)))
        let line = try PseudoTerminalLine { neo.live($0) }
        try await inWorkspace { place in
            let lines = card.caPublicKeys.map { key in
                guard case .rsa(let material) = key.key else { return "" }
                let columns = [key.rid, [key.index], material.exponent, material.modulus, key.checksum].map(\.hex)
                return (["Test"] + columns).joined(separator: "\t")
            }
            let keys = try place.file("keys.tsv", lines.joined(separator: "\n") + "\n")
            let sold = try await sale(place, "idtechneo:\(line.path)", "--ca-keys", keys)
            #expect(sold.status == 0, "\(sold.output) \(sold.errors)")
            #expect(sold.output.contains("Contact chip"))
            #expect(sold.output.contains("APPROVED"))
            let recorded = try await place.run(
                "record", "12.34", "--reader", "idtechneo:\(line.path)", "--ca-keys", keys, "--vault",
                place.path("vault"),
                "--show-card-data", "-o", place.path("case.apdu"))
            #expect(recorded.status == 0, "\(recorded.output) \(recorded.errors)")
            #expect(try place.text("case.apdu").contains("00A404000E315041592E5359532E4444463031"))
            let kept = try await place.run(
                "secure-card", "register", "customer", "--reader", "idtechneo:\(line.path)", "--ca-keys", keys,
                "--vault",
                place.path("vault"))
            #expect(kept.status == 0, "\(kept.output) \(kept.errors)")
            #expect(kept.output.contains("476173******0119"), "\(kept.output) \(kept.errors)")
        }
    }

    // MARK: The PIN after a swipe

    /// PIN block of format 0 for PIN 1234, and for 4321, with the card's number, under the PIN key
    /// of the serial number.
    @Test(
        "the PIN that a Miura PIN pad takes after a swipe is verified by the issuer",
        arguments: [("70A824B0B3AEBB51", true), ("ECD4EA70E72F3740", false)])
    func pinAfterSwipe(_ block: String, _ isRight: Bool) async throws {
        let track = Array(";4761739001010119=49121200000000000?".utf8)
        let masked = Array(";476173******0119=4912120**********?".utf8)
        let card =
            "48020005" + "5F22" + UInt8(track.count).hex + track.hex + "DFAE22" + UInt8(masked.count).hex + masked.hex
        let pad = try EmulatedMiura(
            card: "E1" + UInt8(card.count / 2).hex + card + "9000",
            pin: "E11A" + "DFAE0408" + block + "DFAE050A" + "FFFF9876543210E00002" + "9000")
        let line = try PseudoTerminalLine { pad.live($0) }
        try await inWorkspace { place in
            let run = try await sale(place, "miura:\(line.path)")
            #expect(run.status == (isRight ? 0 : 1), "\(run.output) \(run.errors)")
            #expect(run.output.contains(isRight ? "APPROVED" : "INCORRECT PIN"), "\(run.output)")
            #expect(run.output.contains("Magnetic stripe"))
            #expect(run.output.contains("**** 0119"))
            #expect(Canary.hunt(run.output + run.errors) == [])
        }
    }
}
