import Bytes
import CardCryptography
import DeviceIO
import MagneticStripe
import TLV
import Testing

@testable import CardCapture
@testable import CardReaders

@Suite(.serialized) struct MMSMessageTests {
    @Test("DynaFlex family programmer's manual, \"TLV Example\": the echo and its response") func publishedEcho() throws
    {
        let request = MMSMessage.request(0xDF01, reference: 1, payload: try [UInt8](hex: "8103010203"))
        #expect(request.bytes.hex == "AA0081040101DF018407DF018103010203")
        #expect(try MMSMessage(parsing: request.bytes) == request)
        let response = try MMSMessage(parsing: [UInt8](hex: "AA0081048201DF018204000000008407DF018103010203"))
        #expect(response.kind == .response)
        #expect(response.reference == 1)
        #expect(response.code == 0xDF01)
        #expect(response.status.hex == "00000000")
        #expect(response.payload.hex == "8103010203")
    }

    @Test("The same manual, table 71: stripe, contact and contactless, quick chip") func publishedStart() throws {
        var start = MMSCommand.Start(
            timeout: 0x3C,
            transaction: try [UInt8](
                hex: "9C01009F02060000000001009F03060000000000005F2A0208405F3601029F150200009F530100"))
        start.isQuickChip = true
        #expect(
            MMSMessage.request(MMSCommand.startTransaction, reference: 0, payload: start.payload).bytes.hex
                == "AA00810401001001843D100182013CA3098101018201018301018402000386279C01009F02060000000001009F03060000000000005F2A0208405F3601029F15020000"
                + "9F530100")
    }

    /// The same manual, tables 72, 76, 80: contactless only, the issuer's answer, cancel.
    @Test func publishedAnswerAndCancel() throws {
        var contactless = MMSCommand.Start(timeout: 1, transaction: [])
        (contactless.readsStripe, contactless.readsContact) = (false, false)
        #expect(contactless.payload.hex.contains("A309810100820100830101"))
        let resume = MMSCommand.resume(
            serialNumber: try [UInt8](hex: "992690E116120710"), answer: try [UInt8](hex: "8A023030"), timeout: 0x78)
        #expect(
            MMSMessage.request(MMSCommand.resumeTransaction, reference: 0, payload: resume).bytes.hex
                == "AA0081040100100484211004810100820178" + "8417FF7414DFDF2508992690E116120710FA0670048A023030")
        #expect(
            MMSMessage.request(MMSCommand.cancelTransaction, reference: 0x13).bytes.hex == "AA0081040113100884021008")
    }

    @Test("The same manual, tables 70 and 73: refused with an empty battery, begun") func publishedStatus() throws {
        let refused = try MMSMessage(parsing: [UInt8](hex: "AA00810482011001820480020316"))
        #expect(throws: DeviceError.rejected(.lowBattery)) {
            try MMSStatus.check(refused.status)
        }
        let begun = try MMSMessage(parsing: [UInt8](hex: "AA00810482011001820401000000"))
        #expect(throws: Never.self) { try MMSStatus.check(begun.status) }
    }

    @Test(
        "Bytes that are not a message are refused",
        arguments: [
            "", "AA", "AA00", "AB0081040101DF01", "AA008104", "AA0081030101DF", "AA0081040401DF01", "AA0081048201DF01",
            "AA00810482",
        ])
    func noMessages(_ hex: String) throws {
        let bytes = try [UInt8](hex: hex)
        #expect(throws: DeviceError.self) { try MMSMessage(parsing: bytes) }
    }

    @Test func whatMayBeShown() {
        for count in 1...4 {
            #expect(MMSMessage.redaction(.received, .stream, [UInt8](repeating: 0xAA, count: count)) == [0..<count])
        }
        #expect(MMSMessage.redaction(.sent, .report(0), [1, 2, 3, 4]).isEmpty)
    }
}

@Suite(.serialized) struct MMSPacketTests {
    private func assemble(_ packets: [[UInt8]]) throws(DeviceError) -> [[UInt8]] {
        var assembler = MMSPackets.Assembler()
        var messages: [[UInt8]] = []
        for packet in packets { if let message = try assembler.take(packet) { messages.append(message) } }
        return messages
    }

    /// Tables 2.11 to 2.14: 62 bytes in one packet; else 59 in the head, 61 in each middle, the
    /// rest in the tail.
    @Test(
        "A message is cut into packets as the tables say",
        arguments: [
            (1, [0]), (62, [0]), (63, [1, 3]), (121, [1, 3]), (122, [1, 2, 3]), (182, [1, 2, 3]),
            (1000, [1] + [Int](repeating: 2, count: 15) + [3]),
        ])
    func layout(_ count: Int, _ types: [Int]) throws {
        let message = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let packets = MMSPackets.packets(message)
        #expect(packets.map { Int($0[0]) } == types)
        #expect(packets.allSatisfy { $0.count == 64 })
        #expect(try assemble(packets) == [message])
    }

    @Test func numbersAndLengths() {
        let packets = MMSPackets.packets([UInt8](repeating: 5, count: 300))
        #expect(packets[0].prefix(5) == [1, 0, 0, 1, 0x2C])
        #expect(packets[1].prefix(3) == [2, 0, 1])
        #expect(packets[2].prefix(3) == [2, 0, 2])
        #expect(packets.last?.prefix(2) == [3, UInt8(300 - 59 - 61 * 3)])
    }

    @Test func lostDoubledAndCancelled() throws {
        let message = [UInt8](repeating: 5, count: 300)
        let packets = MMSPackets.packets(message)
        let missing = Array(packets[..<1] + packets[2...])
        #expect(throws: DeviceError.malformed(.mmsMessage, .incomplete)) { try assemble(missing) }
        let twice = Array(packets[..<2] + packets[1...])
        #expect(throws: DeviceError.malformed(.mmsMessage, .incomplete)) { try assemble(twice) }
        let early = [packets[0], packets[1], packets[4]]
        #expect(throws: DeviceError.malformed(.mmsMessage, .incomplete)) { try assemble(early) }
        // The end of a message whose beginning was lost, and one that the device gave up.
        #expect(try assemble(Array(packets[2...]) + packets) == [message])
        #expect(try assemble(Array(packets[..<2]) + [[4, 0, 0]] + packets) == [message])
        #expect(try assemble(Array(packets[..<2]) + packets) == [message])
    }

    @Test("Packets that cannot be assembled are refused") func hostilePackets() {
        for packet: [UInt8] in [
            [], [0], [0, 62, 1], [1, 0, 0], [1, 0, 0, 0, 62, 1, 2], [1, 0xFF, 0xFF, 0xFF, 0xFF, 1], [9, 9],
        ] {
            #expect(throws: DeviceError.self) { try assemble([packet]) }
        }
    }
}

@Suite(.serialized) struct MMSLineTests {
    private func assemble(_ bytes: [UInt8]) throws(DeviceError) -> [[UInt8]] {
        var assembler = MMSLine.Assembler()
        var messages: [[UInt8]] = []
        for byte in bytes { if let message = try assembler.take(byte) { messages.append(message) } }
        return messages
    }

    @Test("Table 2.61: direction and length in front; C0 and DB in the message are escaped") func layout() throws {
        #expect(MMSLine.frame([0xAA, 0xC0, 0xDB]).hex == "C0" + "00" + "00000003" + "AADBDCDBDD" + "C0")
        let message = (0...255).map { UInt8($0) }
        #expect(try assemble(MMSLine.frame(message, fromHost: false)) == [message])
        // One delimiter may end a frame and begin the next.
        let two = MMSLine.frame([1], fromHost: false) + MMSLine.frame([2], fromHost: false).dropFirst()
        #expect(try assemble(two) == [[1], [2]])
    }

    @Test("noise before a frame is skipped") func noise() throws {
        let frame = MMSLine.frame([1, 2, 3], fromHost: false)
        for bytes in [
            Array(frame.prefix(5)) + [0xC0], [0xC0, 2, 0xC0], [0xC0, 0xDB, 0x01], MMSLine.frame([1], fromHost: true),
        ] {
            #expect(throws: DeviceError.self) { try assemble(bytes) }
        }
        #expect(throws: DeviceError.rejected(.messageTooLong)) {
            try assemble([0xC0, 0x03, 0, 0, 0x10, 0, 0xC0])
        }
        // After a frame that is broken the next one counts.
        var assembler = MMSLine.Assembler()
        for byte in frame.prefix(4) { _ = try assembler.take(byte) }
        #expect(throws: DeviceError.self) { try assembler.take(0xC0) }
        var found: [UInt8]?
        for byte in frame.dropFirst() { if let message = try assembler.take(byte) { found = message } }
        #expect(found == [1, 2, 3])
    }
}

/// Card data as the manual's table 4.51 lays them out. The values are made up; no published example
/// was found.
enum MMSSample {
    static let ksn = "FFFF9876543210E00001"

    static func cardData(
        type: UInt8 = 0x05, fallback: UInt8 = 0x00, masked: String = ";4761000000000119=49120000000000000?",
        ciphertext: [UInt8] = [UInt8](repeating: 0x5A, count: 64)
    ) throws -> [UInt8] {
        let ksnBytes = try [UInt8](hex: ksn)
        let template = tlv(0xF9) { data in
            data.append(0xDFDF54, ksnBytes)
            data.append(0xDFDF55, [0x82])
            data.append(0xDFDF25, [0x99, 0x26, 0x90, 0xE1, 0x16, 0x12, 0x07, 0x10])
            data.append(0xFA) { generic in
                generic.append(0x70) { arqc in
                    arqc.append(0x82, [0x18, 0x00])
                    arqc.append(0x5A, [0x47, 0x61])
                    arqc.append(0xDFDF53, [fallback])
                    arqc.append(type == 0x05 ? 0xDFDF4D : 0xDFDF33, Array(masked.utf8))
                    arqc.append(0xDFDF52, [type])
                    arqc.append(0xF8) { sealed in
                        sealed.append(0xDFDF59, ciphertext)
                        sealed.append(0xDFDF56, ksnBytes)
                        sealed.append(0xDFDF57, [0x80])
                        sealed.append(0xDFDF58, [0x03])
                    }
                }
            }
        }
        return [UInt8(template.count >> 8), UInt8(template.count & 0xFF)] + template + [0, 0, 0, 1, 2, 3, 4]
    }

    /// ANSI X9.24-1:2009, annex A.4.
    static func baseKey() throws -> TDESKey {
        try TDESKey(SecretBytes([UInt8](hex: "0123456789ABCDEFFEDCBA9876543210")))
    }

    /// What table 4.52 has in the ciphertext, under the data key of ``ksn``.
    static func sealed(_ contents: (inout TLVBuilder) -> Void) throws -> [UInt8] {
        var clear = tlv(0xFC, contents)
        clear += [UInt8](repeating: 0, count: (8 - clear.count % 8) % 8)
        let serial = try #require(KeySerialNumber([UInt8](hex: ksn)))
        let transactionKey = try TDESDUKPT.transactionKey(baseDerivationKey: baseKey(), serialNumber: serial)
        let key = try TDESDUKPT.key(for: .dataRequest, transactionKey: transactionKey)
        return try key.encryptCBC(clear, iv: [UInt8](repeating: 0, count: 8))
    }

    static func notification(_ code: UInt16, _ detail: [UInt8], _ payload: [UInt8] = []) -> MMSMessage {
        MMSMessage(.notification, reference: 0, code: code, status: detail, payload: payload)
    }
}

@Suite(.serialized) struct DynaProCardDataTests {
    @Test("Each field of the card data is read") func everyField() throws {
        let data = try DynaProCardData(parsing: MMSSample.cardData())
        #expect(data.serialNumber.hex == "992690E116120710")
        #expect(data.cardType == .contactChip)
        #expect(data.fallback == .none)
        #expect(data.encrypted.template == [UInt8](repeating: 0x5A, count: 64))
        #expect(data.encrypted.ksn.hex == MMSSample.ksn)
        #expect(data.encrypted.cipher == .tdes)
        #expect(data.encrypted.keyUse == .dataVariant)
        #expect(data.encrypted.maskedPAN == "4761********0119")
        #expect(data.encrypted.expiry == "4912")
        let card = CapturedCard(data)
        #expect(card.entryMode == .chip)
        #expect(card.pan == nil)
        #expect(card.chip?.elements[0x82] == [0x18, 0x00])
        // What is a card's does not go on in the clear.
        #expect(card.chip?.elements.contains(0x5A) == false)
    }

    @Test("card data in a wrapper are parsed") func wrapped() throws {
        let plain = try MMSSample.cardData()
        #expect(try DynaProCardData(parsing: tlv(0x84, plain)).encrypted.ksn.hex == MMSSample.ksn)
    }

    @Test(
        "Card type and fallback give the entry mode",
        arguments: [
            (UInt8(0x05), UInt8(0x00), CapturedCard.EntryMode.chip), (0x06, 0x00, .contactlessChip),
            (0x08, 0x00, .contactlessStripe),
            (0x01, 0x00, .magneticStripe), (0x07, 0x01, .stripeFallback), (0x07, 0x81, .magneticStripe),
            (0x03, 0x00, .keyed),
        ])
    func entryModes(_ type: UInt8, _ fallback: UInt8, _ mode: CapturedCard.EntryMode) throws {
        #expect(
            CapturedCard(try DynaProCardData(parsing: MMSSample.cardData(type: type, fallback: fallback))).entryMode
                == mode)
    }

    @Test("Card data that are cut anywhere are refused") func cutOff() throws {
        let whole = try MMSSample.cardData()
        for count in 0..<(whole.count - 7) {
            let part = Array(whole.prefix(count))
            #expect(throws: DeviceError.self) { try DynaProCardData(parsing: part) }
        }
    }
}

/// The card data of a device, opened with keys that are given.
@Suite(.serialized) struct MMSOpenedCardTests {
    private func opened(_ type: UInt8, _ contents: (inout TLVBuilder) -> Void) throws -> CapturedCard {
        let data = try DynaProCardData(parsing: MMSSample.cardData(type: type, ciphertext: MMSSample.sealed(contents)))
        let template = try SwipeDecryption([.tdesBase(MMSSample.baseKey())]).template(of: data.encrypted)
        return CapturedCard(data, opened: template)
    }

    @Test("the card data of a chip are parsed") func chip() throws {
        let card = try opened(0x05) { template in
            template.append(0x5A, [0x47, 0x61, 0x73, 0x90, 0x01, 0x01, 0x01, 0x19])
            template.append(0x5F24, [0x49, 0x12, 0x31])
            template.append(0x5F34, [0x01])
            template.append(0x9F26, [1, 2, 3, 4, 5, 6, 7, 8])
            template.append(0x9F27, [0x80])
        }
        #expect(card.pan == SecretBytes("4761739001010119".utf8))
        #expect(card.expiry == "4912")
        #expect(card.panSequenceNumber == 1)
        #expect(card.chip?.elements[.applicationCryptogram] == [1, 2, 3, 4, 5, 6, 7, 8])
        #expect(card.chip?.elements.contains(.applicationPAN) == false)
        #expect(card.encryptedTracks == nil)
    }

    @Test("the card data of a stripe are parsed") func stripe() throws {
        let card = try opened(0x01) { template in
            template.append(0xF4) { tracks in
                tracks.append(0xDFDF36, [0])
                tracks.append(0xDFDF37, Array("%B4761739001010119^DOE/JANE^49121010000000000?".utf8))
                tracks.append(0xDFDF39, Array(";4761739001010119=49121010000000000?".utf8))
            }
        }
        #expect(card.entryMode == .magneticStripe)
        #expect(card.chip == nil)
        #expect(card.pan == SecretBytes("4761739001010119".utf8))
        #expect(card.track2 == SecretBytes("4761739001010119=49121010000000000".utf8))
        #expect(card.cardholderName == "DOE/JANE")
        #expect(card.expiry == "4912")
    }

    @Test("A host with the keys opens the card as the reader would", arguments: [UInt8(0x05), 0x06, 0x08])
    func openedByTheHost(
        _ type: UInt8
    ) throws {
        let sealed = try MMSSample.sealed { template in
            template.append(
                0x57, [0x47, 0x61, 0x73, 0x90, 0x01, 0x01, 0x01, 0x19, 0xD4, 0x91, 0x21, 0x01, 0x00, 0x00, 0x00, 0x0F])
            template.append(0x5F34, [0x01])
            template.append(0x9F26, [1, 2, 3, 4, 5, 6, 7, 8])
        }
        let data = try DynaProCardData(parsing: MMSSample.cardData(type: type, ciphertext: sealed))
        let card = try #require(CapturedCard(data).opened(by: SwipeDecryption([.tdesBase(MMSSample.baseKey())])))
        #expect(card.pan == SecretBytes("4761739001010119".utf8))
        #expect(card.expiry == "4912")
        #expect(card.panSequenceNumber == 1)
        #expect(card.encryptedTracks == nil)
        #expect(card.entryMode == CapturedCard(data).entryMode)
        #expect(card.chip?.elements[.applicationCryptogram] == (type == 0x08 ? nil : [1, 2, 3, 4, 5, 6, 7, 8]))
        #expect(card.chip?.elements.contains(.track2EquivalentData) != true)
        let packed = "4761739001010119D49121010000000F"
        #expect(
            card.track2
                == SecretBytes(type == 0x08 ? Array("4761739001010119=49121010000000".utf8) : try [UInt8](hex: packed)))
        let other = try TDESKey(SecretBytes([UInt8](repeating: 0x31, count: 16)))
        #expect(CapturedCard(data).opened(by: SwipeDecryption([.tdesBase(other)])) == nil)
    }

    @Test("Mastercard's track of a card in the field is a track as well, of another card it is none")
    func contactlessTrack() throws {
        for (type, isRead) in [(UInt8(0x08), true), (0x06, false)] {
            let card = try opened(type) { template in
                template.append(
                    0x9F6B, [0x54, 0x13, 0x33, 0x00, 0x89, 0x01, 0x04, 0x34, 0xD4, 0x91, 0x22, 0x01, 0x00, 0x0F])
            }
            #expect(card.pan == (isRead ? SecretBytes("5413330089010434".utf8) : nil))
            #expect(card.track2 == (isRead ? SecretBytes("5413330089010434=4912201000".utf8) : nil))
        }
    }

    @Test func keysThatDoNotFit() throws {
        let data = try DynaProCardData(
            parsing: MMSSample.cardData(ciphertext: MMSSample.sealed { $0.append(0x5F34, [1]) }))
        let other = try TDESKey(SecretBytes([UInt8](repeating: 0x31, count: 16)))
        #expect(throws: SwipeDecryptionError.wrongKey) {
            try SwipeDecryption([.tdesBase(other)]).template(of: data.encrypted)
        }
        #expect(throws: SwipeDecryptionError.noKey) { try SwipeDecryption([]).template(of: data.encrypted) }
    }
}

@Suite(.serialized) struct MMSNotificationTests {
    @Test("DynaFlex family programmer's manual, tables 297 and 311") func details() {
        func read(_ code: UInt16, _ detail: [UInt8]) -> MMSNotification {
            MMSNotification(MMSSample.notification(code, detail))
        }
        #expect(read(0x0101, [0x08, 0x01, 0x01, 0]) == .swiped)
        #expect(read(0x0101, [0x10, 0x01, 0x02, 0]) == .cardPresented(.contact))
        #expect(read(0x0101, [0x20, 0x01, 0x04, 0]) == .cardPresented(.contactless))
        #expect(read(0x0101, [0x10, 0x01, 0x03, 0]) == .cardRemoved(.contact))
        #expect(read(0x0101, [0x10, 0x08, 0x03, 2]) == .other)
        #expect(read(0x0105, [0x10, 0x02, 0x06, 0]) == .complete(.contact, .approved(signature: false)))
        #expect(read(0x0105, [0x10, 0x02, 0x06, 1]) == .complete(.contact, .approved(signature: true)))
        #expect(read(0x0105, [0x10, 0x02, 0x80, 0]) == .complete(.contact, .declined))
        #expect(read(0x0105, [0x10, 0x02, 0x02, 0]) == .complete(.contact, .approvedOffline(signature: false)))
        #expect(read(0x0105, [0x08, 0x02, 0x07, 0]) == .complete(.stripe, .deferred(signature: false)))
        #expect(read(0x0105, [0x10, 0x02, 0x08, 3]) == .complete(.contact, .failed(.technical)))
        #expect(read(0x0105, [0x10, 0x02, 0x09, 3]) == .complete(.contact, .failed(.emptyCandidateList)))
        #expect(read(0x0105, [0x10, 0x02, 0x0E, 0]) == .other)
        #expect(read(0x0105, [0x00, 0x01, 0x00, 0]) == .complete(.none, .timedOut))
        #expect(read(0x0105, [0x00, 0x03, 0x01, 0]) == .complete(.none, .cancelledByHost))
        #expect(read(0x0105, [0x00, 0x03, 0x02, 0]) == .complete(.none, .cancelledByUser))
        #expect(read(0x0105, [0x08, 0x03, 0x05, 0]) == .complete(.stripe, .failed(nil)))
        #expect(read(0x1803, [0x10, 0x01, 0x02, 0]) == .other)
        #expect(read(0x0101, [0x99, 0x01, 0x02, 0]) == .other)
    }
}
