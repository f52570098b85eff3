import CardCryptography
import EMVKernel
import SmartCard
import Synchronization
import TLV
import VirtualCard

/// Cards with real signatures. Keys take longer than all the rest, so there is one bench and one
/// card key.
enum RealCard {
    private static let personalizer = Result { () throws(PersonalizationError) in try CardPersonalizer() }
    private static let key = Result { () throws(RSAError) in try RSAPrivateKey.generate(modulusBits: 1024, exponent: 3)
    }

    /// A card that supports `methods`, and neither cardholder verification nor terminal risk
    /// management.
    static func make(
        _ methods: ApplicationInterchangeProfile, _ change: (inout CardProfile) -> Void = { _ in }
    ) throws -> PersonalizedCard {
        var profile = CardProfile.visaStyle()
        profile.interchangeProfile = methods
        profile.actionCodes = IssuerActionCodes(denial: [], online: [], default: [])
        change(&profile)
        return try personalizer.get().personalize(profile, iccKey: key.get())
    }
}

extension KernelBench {
    /// A terminal that takes `card` and can do every method.
    init(_ card: PersonalizedCard) {
        configuration.caKeys = card.caPublicKeys
        configuration.capabilities.formUnion([.sda, .dda, .cda])
    }
}

extension ResponseAPDU {
    /// The answer's template with `change` made to the data objects in it; an answer without `tag`
    /// stays as it is.
    mutating func edit(_ tag: Tag, _ change: ([UInt8]) -> [UInt8]?) {
        var walker = TLVWalker()
        guard let template = try? walker.next(in: data.span), template.tag.isConstructed else { return }
        var contents = TLVBuilder()
        var isFound = false
        while let node = try? walker.next(in: data.span) {
            walker.skipContents(of: node)
            var value: [UInt8]? = Array(data[node.value])
            if node.tag == tag {
                isFound = true
                value = change(value ?? [])
            }
            if let value { contents.append(node.tag, value) }
        }
        if isFound { data = tlv(template.tag, contents.bytes) }
    }
}

/// Counts calls, from 1.
final class Counter: Sendable {
    private let count = Mutex(0)

    func next() -> Int {
        count.withLock {
            $0 += 1
            return $0
        }
    }
}
