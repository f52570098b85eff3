import Bytes
import CardCapture
import CardCryptography
import MagneticStripe
import Testing

@Suite(.serialized) struct SwipeDecryptionTests {
    @Test("D99875475, appendix D: the three tracks under the PIN variant of the ANSI test key") func magTekTracks()
        throws
    {
        let opened = try SwipeDecryption([.tdesBase(MagTekSample.baseKey())]).open(
            CapturedSwipe(encrypted: MagTekSample.encrypted()))
        #expect(digest(opened.tracks.track1) == MagTekSample.digests[.one])
        #expect(digest(opened.tracks.track2) == MagTekSample.digests[.two])
        #expect(digest(opened.tracks.track3) == MagTekSample.digests[.three])
        #expect(opened.encrypted == nil)
    }

    @Test func initialKeyDoesAsWell() throws {
        // ANSI X9.24-1:2009, annex A.4.
        let initial = try TDESKey(SecretBytes([UInt8](hex: "6AC292FAA1315B4D858AB3A3D7D5933A")))
        let opened = try SwipeDecryption([.tdesInitial(initial)]).open(
            CapturedSwipe(encrypted: MagTekSample.encrypted()))
        #expect(digest(opened.tracks.track2) == MagTekSample.digests[.two])
    }

    /// Of several keys the right one is found. No key and only other keys are different errors.
    @Test func keysThatDoNotFit() throws {
        let swipe = CapturedSwipe(encrypted: try MagTekSample.encrypted())
        let other = try TDESKey(SecretBytes([UInt8](repeating: 0x31, count: 16)))
        let aes = try AESKey(SecretBytes([UInt8](repeating: 0x31, count: 16)))
        #expect(throws: SwipeDecryptionError.noKey) { try SwipeDecryption([]).open(swipe) }
        #expect(throws: SwipeDecryptionError.noKey) { try SwipeDecryption([.aesBase(aes)]).open(swipe) }
        #expect(throws: SwipeDecryptionError.wrongKey) { try SwipeDecryption([.tdesBase(other)]).open(swipe) }
        let opened = try SwipeDecryption([.tdesBase(other), .aesBase(aes), .tdesBase(MagTekSample.baseKey())]).open(
            swipe)
        #expect(digest(opened.tracks.track1) == MagTekSample.digests[.one])
    }

    @Test("The wrong variant is a wrong key") func variantsDiffer() throws {
        var tracks = try MagTekSample.encrypted()
        tracks.keyUse = .dataVariant
        let decryption = try SwipeDecryption([.tdesBase(MagTekSample.baseKey())])
        #expect(throws: SwipeDecryptionError.wrongKey) { try decryption.open(CapturedSwipe(encrypted: tracks)) }
    }

    /// A key that happens to make a blank track of the ciphertext, or one with a character out of
    /// place, is not believed; one that makes the reader's own word for a bad track is.
    @Test(arguments: [
        ([UInt8](repeating: 0, count: 8), true), (Array(";12*4=5?".utf8), true), (Array(";E?".utf8), false),
    ])
    func whatProvesAKey(_ clear: [UInt8], isWrong: Bool) throws {
        let base = try MagTekSample.baseKey()
        let serial = try #require(KeySerialNumber([UInt8](hex: MagTekSample.ksn)))
        let initial = try TDESDUKPT.initialKey(baseDerivationKey: base, serialNumber: serial)
        let key = try TDESDUKPT.key(
            for: .pinEncryption, transactionKey: TDESDUKPT.transactionKey(initialKey: initial, serialNumber: serial))
        let padded = clear + [UInt8](repeating: 0, count: 8 - clear.count)
        let tracks = EncryptedTracks(
            cipher: .tdes, keyUse: .pinVariant, ksn: try [UInt8](hex: MagTekSample.ksn),
            ciphertexts: [.two: try key.encryptCBC(padded, iv: [UInt8](repeating: 0, count: 8))])
        let (decryption, swipe) = (SwipeDecryption([.tdesBase(base)]), CapturedSwipe(encrypted: tracks))
        if isWrong {
            #expect(throws: SwipeDecryptionError.wrongKey) { try decryption.open(swipe) }
        } else {
            #expect(try decryption.open(swipe).tracks.track2 == .failed(.saidByReader))
        }
    }

    @Test func halfABlock() throws {
        var tracks = try MagTekSample.encrypted()
        tracks.ciphertexts[.two] = tracks.ciphertexts[.two].map { Array($0.dropLast()) }
        let decryption = try SwipeDecryption([.tdesBase(MagTekSample.baseKey())])
        #expect(throws: SwipeDecryptionError.cipher(.notWholeBlocks(count: 39, blockSize: 8))) {
            try decryption.open(CapturedSwipe(encrypted: tracks))
        }
    }

    /// The track is enciphered under the data encryption key that the test vectors of ANSI
    /// X9.24-3:2017 give for AES-128 and counter 1.
    @Test func aesDUKPT() throws {
        let base = try AESKey(SecretBytes([UInt8](hex: "FEDCBA9876543210F1F1F1F1F1F1F1F1")))
        let ksn = try [UInt8](hex: "123456789012345600000001")
        let key = try AESKey(SecretBytes([UInt8](hex: "A35C412EFD41FDB98B69797C02DCD08F")))
        var clear = Array(";4761739001010119=49122010000000000?".utf8)
        clear += [UInt8](repeating: 0, count: 48 - clear.count)
        let tracks = EncryptedTracks(
            cipher: .aes, keyUse: .dataVariant, ksn: ksn,
            ciphertexts: [.two: try key.encryptCBC(clear, iv: [UInt8](repeating: 0, count: 16))])
        let opened = try SwipeDecryption([.aesBase(base)]).open(CapturedSwipe(encrypted: tracks))
        #expect(text(opened.tracks.track2) == "4761739001010119=49122010000000000")
    }

    @Test func clearSwipesPass() throws {
        let swipe = CapturedSwipe(tracks: Swipe(text: ";4761739001010119=4912201?"))
        let opened = try SwipeDecryption([]).open(swipe)
        #expect(text(opened.tracks.track2) == "4761739001010119=4912201")
    }
}
