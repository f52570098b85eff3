import Bytes
import Contactless
import EMVKernel
import JSONDocument
import Kernels
import PaymentTerminal
import TLV

// The combinations of an application and a kernel in the document (EMV Contactless Book A, 5.2).

extension Combination {
    private enum Preset: String, CaseIterable {
        case visa, mastercard, amex, unionPay, kernel8

        static let names = allCases.map { ($0.rawValue, $0) }
    }

    /// A preset with the limits of the acquirer, and the differences from it.
    ///
    /// - Parameter hasPINPad: Whether the terminal supports online PINs.
    init(_ place: Place, hasPINPad: Bool) throws(DocumentError) {
        let members = try place.members(
            [
                "preset", "aid", "transactionTypes", "extendedSelection", "terminalTransactionQualifiers",
                "dynamicReaderLimits", "kernel",
            ] + TransactionLimits.keys)
        let limits = try TransactionLimits(members)
        switch try members.required("preset").choice(Preset.names) {
        case .visa:
            self = .visa(limits: limits, hasPINPad: hasPINPad)
            var kernel = Kernel3Configuration()
            try members.take("dynamicReaderLimits", &kernel.dynamicReaderLimits) { place throws(DocumentError) in
                try place.list { place throws(DocumentError) in try DynamicReaderLimits(place) }
            }
            if let place = members["kernel"] { try kernel.take(place) }
            self.kernel = kernel
            try takeQualifiers(members)
        case .unionPay:
            self = .unionPay(limits: limits, hasPINPad: hasPINPad)
            try Self.refuse(["dynamicReaderLimits"], in: members, of: "UnionPay")
            try takeQualifiers(members)
            if let place = members["kernel"] { throw place.wrong(ConfigurationFault.kernelWithoutSettings) }
        case .amex:
            self = .americanExpress(limits: limits, hasPINPad: hasPINPad)
            try Self.refuse(
                ["dynamicReaderLimits", "terminalTransactionQualifiers"], in: members, of: "American Express")
            if let place = members["kernel"], var kernel = kernel as? Kernel4Configuration {
                try kernel.take(place)
                self.kernel = kernel
            }
        case .mastercard:
            self = .mastercard(limits: limits, hasPINPad: hasPINPad)
            try Self.refuse(["dynamicReaderLimits", "terminalTransactionQualifiers"], in: members, of: "Mastercard")
            if let place = members["kernel"], var kernel = kernel as? Kernel2Configuration {
                try kernel.take(place)
                self.kernel = kernel
            }
        case .kernel8:
            try Self.refuse(["dynamicReaderLimits", "terminalTransactionQualifiers"], in: members, of: "kernel 8")
            self = .kernel8(aid: try members.required("aid").bytes(5...16), limits: limits, hasPINPad: hasPINPad)
            if let place = members["kernel"], var kernel = kernel as? Kernel8Configuration {
                try kernel.take(place)
                self.kernel = kernel
            }
        }
        try members.take("aid", &aid) { place throws(DocumentError) in try place.bytes(5...16) }
        try members.take("transactionTypes", &transactionTypes) { place throws(DocumentError) in
            Set(try place.list { place throws(DocumentError) in try place.choice(TransactionRequest.Kind.names) })
        }
        try members.take("extendedSelection", &supportsExtendedSelection) { place throws(DocumentError) in
            try place.flag()
        }
    }

    private static func refuse(_ keys: [String], in members: Members, of system: String) throws(DocumentError) {
        for key in keys {
            if let place = members[key] { throw place.wrong(ConfigurationFault.notOfKernel(system)) }
        }
    }

    private mutating func takeQualifiers(_ members: Members) throws(DocumentError) {
        try members.takeOrNull("terminalTransactionQualifiers", &qualifiers) { place throws(DocumentError) in
            try TerminalTransactionQualifiers(place)
        }
    }

    /// Nil for a kernel without a preset.
    var json: JSON? {
        var document = limits.json
        document["aid"] = .hex(aid)
        document["transactionTypes"] = .list(
            TransactionRequest.Kind.names.filter { transactionTypes.contains($0.1) }.map { .text($0.0) })
        document["extendedSelection"] = .flag(supportsExtendedSelection)
        switch kernel {
        case let kernel as Kernel3Configuration:
            document["preset"] = .text(Preset.visa.rawValue)
            document["terminalTransactionQualifiers"] = .orNull(qualifiers) { $0.json }
            document["kernel"] = .object(["magstripeMode": .flag(kernel.supportsMagstripeMode)])
            document["dynamicReaderLimits"] = .list(
                kernel.dynamicReaderLimits.map { set in
                    .object(sorted: set.limits.json.merging(["programIdentifier": .hex(set.programIdentifier)]) { $1 })
                })
        case is Kernel7Configuration:
            document["preset"] = .text(Preset.unionPay.rawValue)
            document["terminalTransactionQualifiers"] = .orNull(qualifiers) { $0.json }
        case let kernel as Kernel4Configuration:
            document["preset"] = .text(Preset.amex.rawValue)
            document["kernel"] = kernel.json
        case let kernel as Kernel2Configuration:
            document["preset"] = .text(Preset.mastercard.rawValue)
            document["kernel"] = kernel.json
        case let kernel as Kernel8Configuration:
            document["preset"] = .text(Preset.kernel8.rawValue)
            document["kernel"] = kernel.json
        default: return nil
        }
        return .object(sorted: document)
    }
}

extension Kernel3Configuration {
    fileprivate mutating func take(_ place: Place) throws(DocumentError) {
        try place.members(["magstripeMode"]).take("magstripeMode", &supportsMagstripeMode) {
            place throws(DocumentError) in
            try place.flag()
        }
    }
}

extension DynamicReaderLimits {
    fileprivate init(_ place: Place) throws(DocumentError) {
        let members = try place.members(["programIdentifier"] + TransactionLimits.keys)
        self.init(
            programIdentifier: try members.required("programIdentifier").bytes(1...16),
            limits: try TransactionLimits(members))
    }
}

extension TransactionLimits {
    fileprivate static let keys = [
        "statusCheck", "zeroAmount", "transactionLimit", "floorLimit", "terminalFloorLimit", "cvmRequiredLimit",
    ]

    /// Reads the members in ``keys``; a missing or null member is absent, which differs from zero
    /// and from false.
    fileprivate init(_ members: Members) throws(DocumentError) {
        self.init()
        try members.takeOrNull("statusCheck", &supportsStatusCheck) { place throws(DocumentError) in try place.flag() }
        try members.takeOrNull("zeroAmount", &allowsZeroAmount) { place throws(DocumentError) in try place.flag() }
        try members.takeOrNull("transactionLimit", &transactionLimit, Place.amount)
        try members.takeOrNull("floorLimit", &floorLimit, Place.amount)
        try members.takeOrNull("terminalFloorLimit", &terminalFloorLimit) { place throws(DocumentError) in
            try place.number(0...UInt32.max)
        }
        try members.takeOrNull("cvmRequiredLimit", &cvmRequiredLimit, Place.amount)
    }

    fileprivate var json: [String: JSON] {
        [
            "statusCheck": .orNull(supportsStatusCheck) { .flag($0) },
            "zeroAmount": .orNull(allowsZeroAmount) { .flag($0) },
            "transactionLimit": .orNull(transactionLimit) { .amount($0) },
            "floorLimit": .orNull(floorLimit) { .amount($0) },
            "terminalFloorLimit": .orNull(terminalFloorLimit) { .number($0) },
            "cvmRequiredLimit": .orNull(cvmRequiredLimit) { .amount($0) },
        ]
    }
}

extension Kernel2Configuration {
    fileprivate mutating func take(_ place: Place) throws(DocumentError) {
        let members = try place.members([
            "versions", "actionCodes", "floorLimit", "transactionLimit", "deviceTransactionLimit", "cvmRequiredLimit",
            "verificationAboveLimit", "verificationBelowLimit", "deviceVerification", "magstripeMode",
            "magstripeVerificationAboveLimit", "magstripeVerificationBelowLimit", "phoneMessages", "messageHoldTime",
            "tornTransactions", "tornTransactionLifetime", "relayResistance", "balanceBefore", "balanceAfter",
            "dataStorage",
        ])
        let capabilities: Place.Reader<TerminalCapabilities> = { place throws(DocumentError) in
            try TerminalCapabilities(place)
        }
        let verification: Place.Reader<ContactlessOutcome.Verification> = { place throws(DocumentError) in
            try place.choice(ContactlessOutcome.Verification.names)
        }
        try members.take("versions", &versions) { place throws(DocumentError) in
            try place.list { place throws(DocumentError) in try place.version() }
        }
        try members.take("actionCodes", &actionCodes) { place throws(DocumentError) in try ActionCodes(place) }
        try members.take("floorLimit", &floorLimit, Place.amount)
        try members.take("transactionLimit", &transactionLimit, Place.amount)
        try members.take("deviceTransactionLimit", &deviceTransactionLimit, Place.amount)
        try members.take("cvmRequiredLimit", &cvmRequiredLimit, Place.amount)
        try members.take("verificationAboveLimit", &verificationAboveLimit, capabilities)
        try members.take("verificationBelowLimit", &verificationBelowLimit, capabilities)
        try members.take("deviceVerification", &supportsDeviceVerification) { place throws(DocumentError) in
            try place.flag()
        }
        try members.take("magstripeMode", &supportsMagstripeMode) { place throws(DocumentError) in try place.flag() }
        try members.takeOrNull("magstripeVerificationAboveLimit", &magstripeVerificationAboveLimit, verification)
        try members.takeOrNull("magstripeVerificationBelowLimit", &magstripeVerificationBelowLimit, verification)
        try members.take("phoneMessages", &phoneMessages) { place throws(DocumentError) in
            try place.list { place throws(DocumentError) in try PhoneMessage(place) }
        }
        try members.take("messageHoldTime", &messageHoldTime) { place throws(DocumentError) in
            try place.number(0...999_999)
        }
        try members.take("tornTransactions", &maximumTornTransactions) { place throws(DocumentError) in
            try place.number(0...255)
        }
        try members.take("tornTransactionLifetime", &tornTransactionLifetime) { place throws(DocumentError) in
            try place.number(0...65_535)
        }
        try members.takeOrNull("relayResistance", &relayResistance) { place throws(DocumentError) in
            try RelayResistanceLimits(place)
        }
        try members.take("balanceBefore", &readsBalanceBefore) { place throws(DocumentError) in try place.flag() }
        try members.take("balanceAfter", &readsBalanceAfter) { place throws(DocumentError) in try place.flag() }
        try members.takeOrNull("dataStorage", &dataStorage) { place throws(DocumentError) in try DataStorage(place) }
    }

    fileprivate var json: JSON {
        func name(_ verification: ContactlessOutcome.Verification?) -> JSON {
            .orNull(verification) { .name($0, ContactlessOutcome.Verification.names) }
        }
        return .object([
            "versions": .list(versions.map(JSON.version)), "actionCodes": actionCodes.json,
            "floorLimit": .amount(floorLimit),
            "transactionLimit": .amount(transactionLimit), "deviceTransactionLimit": .amount(deviceTransactionLimit),
            "cvmRequiredLimit": .amount(cvmRequiredLimit), "verificationAboveLimit": verificationAboveLimit.json,
            "verificationBelowLimit": verificationBelowLimit.json,
            "deviceVerification": .flag(supportsDeviceVerification),
            "magstripeMode": .flag(supportsMagstripeMode),
            "magstripeVerificationAboveLimit": name(magstripeVerificationAboveLimit),
            "magstripeVerificationBelowLimit": name(magstripeVerificationBelowLimit),
            "phoneMessages": .list(phoneMessages.map(\.json)),
            "messageHoldTime": .number(messageHoldTime), "tornTransactions": .number(maximumTornTransactions),
            "tornTransactionLifetime": .number(tornTransactionLifetime),
            "relayResistance": .orNull(relayResistance) { $0.json },
            "balanceBefore": .flag(readsBalanceBefore), "balanceAfter": .flag(readsBalanceAfter),
            "dataStorage": .orNull(dataStorage) { $0.json },
        ])
    }
}

extension Kernel4Configuration {
    fileprivate mutating func take(_ place: Place) throws(DocumentError) {
        let members = try place.members([
            "versions", "actionCodes", "verificationAboveLimit", "verificationBelowLimit", "mobileVerification",
        ])
        let capabilities: Place.Reader<TerminalCapabilities> = { place throws(DocumentError) in
            try TerminalCapabilities(place)
        }
        try members.take("versions", &versions) { place throws(DocumentError) in
            try place.list { place throws(DocumentError) in try place.version() }
        }
        try members.take("actionCodes", &actionCodes) { place throws(DocumentError) in try ActionCodes(place) }
        try members.take("verificationAboveLimit", &verificationAboveLimit, capabilities)
        try members.take("verificationBelowLimit", &verificationBelowLimit, capabilities)
        try members.take("mobileVerification", &supportsMobileVerification) { place throws(DocumentError) in
            try place.flag()
        }
    }

    fileprivate var json: JSON {
        .object([
            "versions": .list(versions.map(JSON.version)), "actionCodes": actionCodes.json,
            "verificationAboveLimit": verificationAboveLimit.json,
            "verificationBelowLimit": verificationBelowLimit.json,
            "mobileVerification": .flag(supportsMobileVerification),
        ])
    }
}

extension Kernel2Configuration.PhoneMessage {
    fileprivate init(_ place: Place) throws(DocumentError) {
        let members = try place.members(["mask", "value", "message", "status"])
        func bits(_ name: String) throws(DocumentError) -> UInt32 {
            try members.required(name).bytes(3...3).reduce(0) { $0 << 8 | UInt32($1) }
        }
        self.init(
            mask: try bits("mask"), value: try bits("value"),
            message: try members.required("message").choice(UserInterfaceRequest.Message.names),
            status: try members.required("status").choice(UserInterfaceRequest.Status.names))
    }

    fileprivate var json: JSON {
        func bits(_ number: UInt32) -> JSON {
            .hex((0..<3).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) })
        }
        return .object([
            "mask": bits(mask), "value": bits(value), "message": .name(message, UserInterfaceRequest.Message.names),
            "status": .name(status, UserInterfaceRequest.Status.names),
        ])
    }
}

extension RelayResistanceLimits {
    private static let names: [(String, any WritableKeyPath<RelayResistanceLimits, UInt16> & Sendable)] = [
        ("minimumGracePeriod", \.minimumGracePeriod), ("maximumGracePeriod", \.maximumGracePeriod),
        ("expectedCommandTime", \.expectedCommandTime), ("expectedResponseTime", \.expectedResponseTime),
        ("accuracyThreshold", \.accuracyThreshold),
    ]

    init(_ place: Place) throws(DocumentError) {
        let members = try place.members(Self.names.map(\.0) + ["mismatchThreshold"])
        self.init()
        for (name, path) in Self.names {
            try members.take(name, &self[keyPath: path]) { place throws(DocumentError) in
                try place.number(0...UInt16.max)
            }
        }
        try members.take("mismatchThreshold", &mismatchThreshold) { place throws(DocumentError) in
            try place.number(0...100)
        }
    }

    var json: JSON {
        var document = Dictionary(uniqueKeysWithValues: Self.names.map { ($0, JSON.number(self[keyPath: $1])) })
        document["mismatchThreshold"] = .number(mismatchThreshold)
        return .object(sorted: document)
    }
}
