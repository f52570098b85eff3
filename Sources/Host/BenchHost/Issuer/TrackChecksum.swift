import Bytes
import CardCapture
import CardCryptography
import TLV
import VirtualCard

/// CVC3 in the track of a contactless card in mag-stripe mode, on the issuer's side: its
/// transaction, and whether it is genuine (`Vectors/contactless/mastercard-cvc3.json`).
///
/// A track contains a few digits of the code and of the counter. Like real issuers, the issuer
/// derives the counter from the last accepted one: the next counter that ends with these digits.
struct TrackChecksum {
    /// For track 2 as personalised, with zeros at the positions of the digits.
    private let initialisationVector: [UInt8]
    private let key: CardKey
    /// The last decimal digits of the code, and how many there are.
    private let code: (value: Int, modulus: Int)
    /// As ``code``, for the counter.
    private let counter: (value: Int, modulus: Int)
    /// Tag `9F6A`.
    private let unpredictableNumber: [UInt8]

    /// Nil if the track has no room for the digits, or its last digit is not their number.
    ///
    /// - Parameter track: Track 2 in ASCII, without sentinels.
    init?(track: SecretBytes, panSequenceNumber: UInt8?, positions: ChecksumPositions, masterKey: CardKey) {
        var characters = track.revealed()
        defer { wipe(&characters) }
        guard let separator = characters.firstIndex(of: UInt8(ascii: "=")),
            let pan = AccountNumber(ascii: Array(characters[..<separator])),
            characters.indices.allSatisfy({ $0 == separator || (0x30...0x39).contains(characters[$0]) }),
            let key = try? MasterKeyDerivation.optionA.cardMasterKey(
                from: masterKey, pan: pan, panSequenceNumber: panSequenceNumber)
        else { return nil }
        let length = characters.count - separator - 8
        let counterPlaces = positions.numberPlaces.prefix(Int(positions.counterDigits))
        let numberPlaces = positions.numberPlaces.dropFirst(counterPlaces.count)
        guard (positions.codePlaces + positions.numberPlaces).allSatisfy({ $0 < length }), numberPlaces.count <= 8,
            length > 0,
            // 5 more if the cardholder was verified on the device (EMV Contactless Book C-2, S14).
            let last = characters.last, [numberPlaces.count, (numberPlaces.count + 5) % 10].contains(Int(last & 0x0F))
        else { return nil }
        func digits(_ places: some Collection<Int>) -> (value: Int, modulus: Int) {
            places.reduce((0, 1)) { ($0.0 * 10 + Int(characters[characters.count - 1 - $1] & 0x0F), $0.1 * 10) }
        }
        code = digits(positions.codePlaces)
        counter = digits(counterPlaces)
        guard let number = BCD.encode(UInt64(clamping: digits(numberPlaces).value), count: 4) else { return nil }
        unpredictableNumber = number
        for place in positions.codePlaces + positions.numberPlaces + [0] {
            characters[characters.count - 1 - place] = 0x30
        }
        var template = Self.encoded(characters)
        defer { wipe(&template) }
        guard let vector = try? CardVerificationCode3.initialisationVector(track: template, key: key) else {
            return nil
        }
        initialisationVector = vector
        self.key = key
    }

    /// The value of tag `9F6B`.
    private static func encoded(_ characters: [UInt8]) -> [UInt8] {
        let digits = characters.map { $0 == UInt8(ascii: "=") ? 0x0D : $0 & 0x0F }
        let whole = digits.count.isMultiple(of: 2) ? digits : digits + [0x0F]
        return stride(from: 0, to: whole.count, by: 2).map { whole[$0] << 4 | whole[$0 + 1] }
    }

    /// The counter of the transaction; nil if the code is wrong for the next counter after `last`
    /// that ends with the track's digits.
    func counter(after last: UInt16?) -> UInt16? {
        let lowest = Int(last ?? 0) + 1
        let steps = (counter.value - lowest % counter.modulus + counter.modulus) % counter.modulus
        guard let candidate = UInt16(exactly: lowest + steps),
            let expected = try? CardVerificationCode3.compute(
                initialisationVector: initialisationVector, unpredictableNumber: unpredictableNumber,
                counter: candidate, key: key),
            Int(expected) % code.modulus == code.value
        else { return nil }
        return candidate
    }
}
