import Contactless
import JSONDocument
import Kernels
import PaymentTerminal
import TLV

extension Kernel8Configuration {
    mutating func take(_ place: Place) throws(DocumentError) {
        let members = try place.members([
            "floorLimit", "cvmRequiredLimit", "denialActionCode", "onlineActionCode", "verificationAboveLimit",
            "verificationBelowLimit", "localAuthentication", "reportsFailedLocalAuthentication", "relayResistance",
            "envelopesToRead", "envelopesToWriteBefore", "envelopesToWrite", "messagesOnRestart", "messageHoldTime",
            "fieldOffTime",
        ])
        let code: Place.Reader<TerminalVerificationResults> = { place throws(DocumentError) in
            TerminalVerificationResults(try place.bytes(5...5)) ?? []
        }
        let methods: Place.Reader<CVMCapability> = { place throws(DocumentError) in try place.bits(CVMCapability.names)
        }
        let envelopes: Place.Reader<[DataEnvelope]> = { place throws(DocumentError) in
            try place.list { place throws(DocumentError) in try DataEnvelope(place) }
        }
        try members.take("floorLimit", &floorLimit, Place.amount)
        try members.take("cvmRequiredLimit", &cvmRequiredLimit, Place.amount)
        try members.take("denialActionCode", &denialActionCode, code)
        try members.take("onlineActionCode", &onlineActionCode, code)
        try members.take("verificationAboveLimit", &verificationAboveLimit, methods)
        try members.take("verificationBelowLimit", &verificationBelowLimit, methods)
        try members.take("localAuthentication", &authenticatesLocally) { place throws(DocumentError) in try place.flag()
        }
        try members.take("reportsFailedLocalAuthentication", &reportsFailedLocalAuthentication) {
            place throws(DocumentError) in
            try place.flag()
        }
        try members.takeOrNull("relayResistance", &relayResistance) { place throws(DocumentError) in
            try RelayResistanceLimits(place)
        }
        try members.take("envelopesToRead", &envelopesToRead) { place throws(DocumentError) in
            try place.list { place throws(DocumentError) in try place.number(1...10) }
        }
        try members.take("envelopesToWriteBefore", &envelopesToWriteBefore, envelopes)
        try members.take("envelopesToWrite", &envelopesToWrite, envelopes)
        try members.take("messagesOnRestart", &messagesOnRestart) { place throws(DocumentError) in
            try place.list { place throws(DocumentError) in try place.choice(Self.restartMessages) }
        }
        try members.take("messageHoldTime", &messageHoldTime) { place throws(DocumentError) in
            try place.number(0...999_999)
        }
        try members.take("fieldOffTime", &fieldOffTime) { place throws(DocumentError) in try place.number(0...255) }
    }

    private static let restartMessages = UserInterfaceRequest.Message.names.filter {
        [.seePhone, .insertCard, .presentCardAgain].contains($0.1)
    }

    var json: JSON {
        .object([
            "floorLimit": .amount(floorLimit), "cvmRequiredLimit": .amount(cvmRequiredLimit),
            "denialActionCode": .hex(denialActionCode.bytes), "onlineActionCode": .hex(onlineActionCode.bytes),
            "verificationAboveLimit": .bits(verificationAboveLimit, CVMCapability.names),
            "verificationBelowLimit": .bits(verificationBelowLimit, CVMCapability.names),
            "localAuthentication": .flag(authenticatesLocally),
            "reportsFailedLocalAuthentication": .flag(reportsFailedLocalAuthentication),
            "relayResistance": .orNull(relayResistance) { $0.json },
            "envelopesToRead": .list(envelopesToRead.map { .number($0) }),
            "envelopesToWriteBefore": .list(envelopesToWriteBefore.map(\.json)),
            "envelopesToWrite": .list(envelopesToWrite.map(\.json)),
            "messagesOnRestart": .list(messagesOnRestart.map { .name($0, Self.restartMessages) }),
            "messageHoldTime": .number(messageHoldTime), "fieldOffTime": .number(fieldOffTime),
        ])
    }
}

extension Kernel8Configuration.CVMCapability {
    fileprivate static let names: [(String, Self)] = [
        ("onlinePIN", .onlinePIN), ("signature", .signature), ("noCVM", .noCVM), ("consumerDevice", .consumerDevice),
    ]
}

extension Kernel8Configuration.DataEnvelope {
    fileprivate init(_ place: Place) throws(DocumentError) {
        let members = try place.members(["number", "value"])
        let value = try members.required("value").bytes(0...243)
        guard let envelope = Self(number: try members.required("number").number(1...10), value: value) else {
            throw place.wrong(ConfigurationFault.notAnEnvelope)
        }
        self = envelope
    }

    fileprivate var json: JSON { .object(["number": .number(number), "value": .hex(value)]) }
}
