import Bytes
import CardCapture
import MagneticStripe
import Reports

/// The JSON of `cardpresent swipe --json` (docs/json.md).
struct SwipeDocument: Encodable {
    let isReadable: Bool
    let lines: [Line]
    let encrypted: Encrypted?

    struct Line: Encodable {
        let depth: Int
        let text: String
    }

    struct Encrypted: Encodable {
        let keySerialNumber: String
        /// As masked by the reader.
        let maskedPAN: String?
        /// By the number of the track.
        let ciphertexts: [String: String]
        /// From readers that encrypt the tracks together.
        let tracksTogether: String?
    }

    /// - Parameter isRedacted: Whether card data are masked.
    init(_ swipe: CapturedSwipe, isRedacted: Bool) {
        isReadable = swipe.isReadable
        lines =
            swipe.tracks.isReadable
            ? MagstripeDescription.lines(swipe.tracks, isRedacted: isRedacted).map {
                Line(depth: $0.depth, text: $0.text)
            } : []
        encrypted = swipe.encrypted.map { encrypted in
            var ciphertexts: [String: String] = [:]
            for track in TrackNumber.allCases {
                ciphertexts["\(track.rawValue)"] = encrypted.ciphertexts[track]?.hex
            }
            return Encrypted(
                keySerialNumber: encrypted.ksn.hex, maskedPAN: encrypted.maskedPAN, ciphertexts: ciphertexts,
                tracksTogether: encrypted.joined?.ciphertext.hex)
        }
    }
}
