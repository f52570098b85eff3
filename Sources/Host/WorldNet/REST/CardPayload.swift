import Bytes
import CardCapture
import EMVKernel
public import JSONDocument
import MagneticStripe
public import PaymentTerminal
import TLV

/// The member `customerAccount`: a card as the REST interface takes it.
public enum CardPayload {
    /// - Parameters:
    ///   - signature: What the cardholder of a captured card signed before the host is asked.
    ///   - deviceType: What the gateway calls the model of the reader.
    ///   - hasExtensions: whether the host takes what the published payloads have no place for.
    /// - Throws: ``HostError/Refusal/notSupported`` for a card of which the interface's payloads
    ///   cannot tell enough.
    public static func document(
        _ card: PaymentCard, signature: Signature? = nil, deviceType: String, hasExtensions: Bool
    ) throws(HostError) -> JSON {
        if case .captured(let card) = card, !hasExtensions { try refuseUnpublished(card) }
        switch card {
        case .token(let token):
            return .object(["payloadType": .text("SECURE_CREDENTIALS"), "credentialsNumber": .text(token.text)])
        case .keyed(let details, let cvv): return keyed(details, cvv: cvv)
        case .captured(let card) where card.chip != nil: return try chip(card, signature, deviceType)
        case .captured(let card): return try stripe(card, signature, deviceType, hasExtensions: hasExtensions)
        }
    }

    private static func refuseUnpublished(_ card: CapturedCard) throws(HostError) {
        if card.chip != nil, card.pin != nil {
            throw HostError(
                .notSupported, "the gateway's interface has no PIN for a chip: use a card without online PIN")
        }
        if let pin = card.pin, pin.format != .iso0 {
            throw HostError(
                .notSupported, "the gateway's interface has PIN blocks of format 0 only: configure the PIN pad for it")
        }
        if card.chip == nil, card.track2 != nil, card.fallbackReason != nil || card.entryMode == .stripeFallback {
            throw HostError(
                .notSupported,
                "the gateway's interface marks a swipe in place of a chip only if the reader encrypts: use another card"
            )
        }
    }

    private static func keyed(_ details: CardDetails, cvv: SecretBytes?) -> JSON {
        .object([
            "payloadType": .text("KEYED"), "cardholderName": details.cardholderName.map { .text($0) },
            "cardDetails": .object([
                "dataFormat": .text("PLAIN_TEXT"), "cardNumber": .secret(details.pan),
                "expiryDate": .text(details.expiry.mmyy), "cvv": cvv.map { .secret($0) },
            ]),
        ])
    }

    private static func chip(_ card: CapturedCard, _ signature: Signature?, _ deviceType: String) throws(HostError)
        -> JSON
    {
        guard let chip = card.chip, let pan = card.pan else {
            throw HostError(
                .notSupported, "the reader encrypts the chip's data in a format that the gateway does not document")
        }
        var elements = chip.field55(for: .authorization)
        defer { wipe(&elements) }
        func append(_ tag: Tag, _ value: consuming [UInt8]) {
            var value = value
            var element = tlv(tag, value)
            wipe(&value)
            elements.append(wiping: &element)
        }
        if chip.elements[.pointOfServiceEntryMode] == nil, let mode = UInt8(card.entryMode.rawValue, radix: 16) {
            append(.pointOfServiceEntryMode, [mode])
        }
        var digits = pan.revealed()
        defer { wipe(&digits) }
        if let packed = BCD.encode(digits: digits) { append(.applicationPAN, packed) }
        if let expiry = card.expiry, let date = try? [UInt8](hex: expiry + "28") {
            append(.applicationExpirationDate, date)
        }
        if let track = card.track2 { append(.track2EquivalentData, track.revealed()) }
        if let name = card.cardholderName { append(.cardholderName, Array(name.utf8)) }
        return .object([
            "payloadType": .text("EMV"), "device": .object(["type": .text(deviceType), "category": .text("ATTENDED")]),
            "tlv": .secret(hexadecimal(elements)), "pinDetails": pin(card.pin),
            "cardholderSignature": strokes(signature),
        ])
    }

    private static func stripe(
        _ card: CapturedCard, _ signature: Signature?, _ deviceType: String, hasExtensions: Bool
    ) throws(HostError) -> JSON {
        var device: [JSON.Member] = [JSON.Member("type", .text(deviceType))]
        var details: [JSON.Member] = []
        if let track = card.track2 {
            details = [.init("dataFormat", .text("PLAIN_TEXT")), .init("trackData", .secret(track.betweenSentinels))]
        } else if let tracks = card.encryptedTracks, let ciphertext = tracks.ciphertexts[.two] {
            device.append(.init("dataKsn", .text(tracks.ksn.hex)))
            details = [.init("dataFormat", .text("ENCRYPTED")), .init("encryptedData", .text(ciphertext.hex))]
            // The gateway knows the cipher by the type of the device.
            if hasExtensions, tracks.cipher != .tdes || tracks.keyUse != .dataVariant {
                let use: JSON = .object([
                    "cipher": .text(tracks.cipher.rawValue), "keyUse": .text(tracks.keyUse.rawValue),
                ])
                device.append(.init(RESTInterface.extensions, use))
            }
        } else {
            throw HostError(.notSupported, "the gateway needs track 2, which was not read: swipe again")
        }
        details.append(.init("device", .object(device)))
        if let reason = card.fallbackReason ?? (card.entryMode == .stripeFallback ? .technical : nil) {
            let name = reason == .technical ? "TECHNICAL" : "EMPTY_CANDIDATE_LIST"
            details += [.init("fallback", .flag(true)), .init("fallbackReason", .text(name))]
        }
        return .object([
            "payloadType": .text("MAG_STRIPE"), "cardholderName": card.cardholderName.map { .text($0) },
            "cardDetails": .object(details),
            "pinDetails": pin(card.pin), "cardholderSignature": strokes(signature),
            "additionalTlvData": card.entryMode == .contactlessStripe
                ? .text(tlv(.pointOfServiceEntryMode, [0x91]).hex) : nil,
        ])
    }

    private static func strokes(_ signature: Signature?) -> JSON? { signature.map { .text(SignatureStrokes($0).text) } }

    /// The interface has format 0; the bench host's own member names another format.
    private static func pin(_ pin: EncipheredPINBlock?) -> JSON? {
        pin.map {
            .object([
                "pin": .text($0.block.hex), "pinKsn": .text($0.ksn.hex),
                RESTInterface.extensions: $0.format == .iso0
                    ? nil : .object(["format": .number(String($0.format.rawValue))]),
            ])
        }
    }

    /// In upper case digits, ASCII.
    private static func hexadecimal(_ bytes: [UInt8]) -> SecretBytes {
        let digits = Array("0123456789ABCDEF".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(2 * bytes.count)
        for byte in bytes { text += [digits[Int(byte >> 4)], digits[Int(byte & 0x0F)]] }
        return SecretBytes(wiping: &text)
    }
}

extension SecretBytes {
    /// Track 2 as it is on the stripe, ASCII.
    var betweenSentinels: SecretBytes {
        var text: [UInt8] = []
        text.reserveCapacity(count + 2)
        text.append(UInt8(ascii: ";"))
        withBytes { track in
            for index in track.indices { text.append(track[index]) }
        }
        text.append(UInt8(ascii: "?"))
        return SecretBytes(wiping: &text)
    }
}

extension PaymentCard {
    /// The card that a payload is of.
    public init(payload: JSON) throws(HostError) {
        switch payload["payloadType"]?.text {
        case "SECURE_CREDENTIALS":
            guard let token = payload["credentialsNumber"]?.text else { throw .invalidField("credentialsNumber") }
            self = .token(SecureCardReference(token))
        case "KEYED":
            let cvv = payload["cardDetails"]?["cvv"]?.text.map { SecretBytes($0.utf8) }
            self = .keyed(try CardDetails(payload: payload), cvv: cvv)
        case "EMV": self = .captured(try CapturedCard(chip: payload))
        case "MAG_STRIPE": self = .captured(try CapturedCard(stripe: payload))
        default: throw .invalidField("payloadType")
        }
    }
}

extension PaymentCard {
    /// The card that takes the place of another in a secure card.
    init(replacement account: JSON) throws(HostError) {
        guard account["source"]?.text == "CARD" else { throw .invalidField("source") }
        let details = try CardDetails(account, cardholderName: account["cardholderName"]?.text)
        self = .keyed(details, cvv: account["cvv"]?.text.map { SecretBytes($0.utf8) })
    }
}

extension CardDetails {
    init(payload: JSON) throws(HostError) {
        guard let details = payload["cardDetails"], (details["dataFormat"]?.text ?? "PLAIN_TEXT") == "PLAIN_TEXT" else {
            throw .invalidField("dataFormat")
        }
        try self.init(details, cardholderName: payload["cardholderName"]?.text)
    }

    fileprivate init(_ details: JSON, cardholderName: String?) throws(HostError) {
        guard let expiry = ExpiryDate(mmyy: details["expiryDate"]?.text ?? "") else {
            throw .invalidField("expiryDate")
        }
        do throws(CardDetailsError) {
            try self.init(
                pan: SecretBytes((details["cardNumber"]?.text ?? "").utf8), expiry: expiry,
                cardholderName: cardholderName)
        } catch {
            throw .invalidField("cardNumber")
        }
    }
}

extension CapturedCard {
    fileprivate init(chip payload: JSON) throws(HostError) {
        var elements = try Self.elements(payload)
        defer { elements.wipe() }
        let expiry = elements[.applicationExpirationDate].map { $0.prefix(2).hex }
        let track = elements[.track2EquivalentData]
        guard
            let pan = elements[.applicationPAN].flatMap({ BCD.digits($0) }) ?? track.flatMap({ Self.accountNumber($0) })
        else {
            throw .invalidField("tlv")
        }
        var shareable = DataElements()
        for tag in elements.tags where !Redaction.sensitiveTags.contains(tag) { shareable[tag] = elements[tag] }
        self.init(
            entryMode: Self.entryMode(elements) ?? .chip, pan: SecretBytes(pan), expiry: expiry,
            panSequenceNumber: elements[.panSequenceNumber]?.first.flatMap { BCD.number([$0]) }.map {
                UInt8(clamping: $0)
            },
            cardholderName: elements[.cardholderName].map { String(decoding: $0, as: UTF8.self) },
            track2: track.map { SecretBytes($0) },
            chip: ChipData(elements: shareable), pin: try EncipheredPINBlock(payload["pinDetails"]))
    }

    fileprivate init(stripe payload: JSON) throws(HostError) {
        guard let details = payload["cardDetails"] else { throw .invalidField("cardDetails") }
        var entryMode = EntryMode.magneticStripe
        var fallbackReason: Fallback.Reason?
        if try details.requested("fallback", \.flag) == true {
            fallbackReason =
                details["fallbackReason"]?.text == "EMPTY_CANDIDATE_LIST" ? .emptyCandidateList : .technical
            if fallbackReason == .technical { entryMode = .stripeFallback }
        }
        if payload["additionalTlvData"] != nil {
            entryMode = Self.entryMode(try Self.elements(payload, "additionalTlvData")) ?? entryMode
        }
        if details["dataFormat"]?.text == "PLAIN_TEXT" {
            self = try XMLMessage.swipe(SecretBytes((details["trackData"]?.text ?? "").utf8), entryMode: entryMode)
        } else {
            guard let ciphertext = try? [UInt8](hex: details["encryptedData"]?.text ?? ""), !ciphertext.isEmpty,
                let ksn = try? [UInt8](hex: details["device"]?["dataKsn"]?.text ?? "")
            else { throw .invalidField("encryptedData") }
            let more = details["device"]?[RESTInterface.extensions]
            let tracks = EncryptedTracks(
                cipher: try more?.requested("cipher") { $0.text.flatMap { EncryptedTracks.Cipher(rawValue: $0) } }
                    ?? .tdes,
                keyUse: try more?.requested("keyUse") { $0.text.flatMap { EncryptedTracks.KeyUse(rawValue: $0) } }
                    ?? .dataVariant,
                ksn: ksn,
                ciphertexts: [.two: ciphertext])
            self.init(entryMode: entryMode, pan: nil, expiry: nil, encryptedTracks: tracks)
        }
        self.fallbackReason = fallbackReason
        cardholderName = payload["cardholderName"]?.text
        pin = try EncipheredPINBlock(payload["pinDetails"])
    }

    private static func elements(_ payload: JSON, _ name: String = "tlv") throws(HostError) -> DataElements {
        if let tags = payload["tags"]?.list {
            var elements = DataElements()
            for tag in tags.prefix(200) {
                guard let number = UInt32(tag["hex"]?.text ?? "", radix: 16),
                    let value = try? [UInt8](hex: tag["value"]?.text ?? "")
                else {
                    throw .invalidField("tags")
                }
                elements[Tag(rawValue: number)] = value
            }
            return elements
        }
        guard let bytes = try? [UInt8](hex: payload[name]?.text ?? ""), let elements = try? DataElements(parsing: bytes)
        else {
            throw .invalidField(name)
        }
        return elements
    }

    private static func entryMode(_ elements: DataElements) -> EntryMode? {
        elements[.pointOfServiceEntryMode].flatMap { EntryMode(rawValue: $0.hex) }
    }

    /// The digits before the separator `D` of tag `57`.
    private static func accountNumber(_ track: [UInt8]) -> [UInt8]? {
        let digits = track.hex.utf8.prefix { $0 != UInt8(ascii: "D") }
        guard digits.count < track.count * 2, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Array(digits)
    }
}

extension EncipheredPINBlock {
    fileprivate init?(_ details: JSON?) throws(HostError) {
        guard let details else { return nil }
        let format = try details[RESTInterface.extensions]?.requested("format", \.integer) ?? 0
        guard let block = try? [UInt8](hex: details["pin"]?.text ?? ""),
            let ksn = try? [UInt8](hex: details["pinKsn"]?.text ?? ""),
            let format = Format(rawValue: format)
        else { throw .invalidField("pinDetails") }
        self.init(format: format, block: block, ksn: ksn)
    }
}
