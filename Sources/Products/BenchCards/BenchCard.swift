public import ArgumentParser
public import CardProfiles
public import Console
private import JSONDocument
public import SmartCard
private import TLV
public import VirtualCard

/// A card by name, or by the path of its profile, which contains a dot or a slash.
public enum BenchCard: ExpressibleByArgument, Sendable {
    case style(CardStyle)
    case file(String)

    public init?(argument: String) {
        if let style = CardStyle(rawValue: argument) {
            self = .style(style)
        } else if argument.contains(where: { "./".contains($0) }) {
            self = .file(argument)
        } else {
            return nil
        }
    }

    public var defaultValueDescription: String {
        switch self {
        case .style(let style): style.rawValue
        case .file(let path): path
        }
    }

    public func load() throws(InputError) -> CardProfileFile {
        switch self {
        case .style(let style): return CardProfileFile(style.profile)
        case .file(let path):
            let text = try InputFile.text(path)
            do throws(DocumentError) {
                return try CardProfileFile(parsing: text)
            } catch {
                throw InputError(error.description(of: path))
            }
        }
    }
}

extension BenchCard {
    /// A new card with its faults, in contacts or in the field of a reader that tells its
    /// identifier.
    public func held(isTapped: Bool) throws -> any CardChannel {
        let file = try load()
        let card = try PersonalizedCard.make(isTapped ? tapped(file.profile) : file.profile)
        let virtual = FaultyCard(VirtualCard(card, interface: isTapped ? .contactless : .contact), file.faults) {
            try? await Task.sleep(for: .milliseconds($0))
        }
        return isTapped ? FieldReader(.random(historicalBytes: []), virtual) : virtual
    }

    /// The profile in a reader's field. The named cards have contactless applications of their
    /// kernel; a file says which its card has.
    public func tapped(_ profile: CardProfile) throws(InputError) -> CardProfile {
        guard profile.contactless == nil else { return profile }
        var profile = profile
        switch self {
        case .style(.visa): profile.contactless = .visa(VisaContactlessProfile())
        case .style(.mastercard): profile.contactless = .mastercard(MastercardContactlessProfile())
        case .style(.kernel8): break
        case .file: throw InputError("the card has contacts only: take one whose profile has \"contactless\"")
        }
        return profile
    }
}

public enum CardStyle: String, ExpressibleByArgument, CaseIterable, Sendable {
    case visa, mastercard
    /// Of no payment system; contactless by kernel 8.
    case kernel8 = "kernel-8"

    public var profile: CardProfile {
        switch self {
        case .visa: .visaStyle()
        case .mastercard: .mastercardStyle()
        case .kernel8: .kernel8Style()
        }
    }
}
