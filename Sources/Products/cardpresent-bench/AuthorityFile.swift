import Bytes
import Console
import VirtualCard

/// The private keys of a virtual card's authority and issuer in a file of its owner's alone, so
/// that the next card has the same CA keys.
enum AuthorityFile {
    /// More than six keys of the greatest lengths take, in bytes.
    private static let maximumSize = 64 << 10

    /// The keys in the file at `path`; creates them, of the lengths that `profile` asks for, if the
    /// file does not exist.
    static func load(_ path: String, for profile: CardProfile) throws -> CardAuthority {
        var bytes: [UInt8]
        do throws(PrivateFile.Failure) {
            bytes = try PrivateFile.read(path, maximumSize: maximumSize)
        } catch .notFound {
            return try make(path, profile)
        } catch {
            throw InputError("the authority's keys: \(error.text(path))")
        }
        let authority: CardAuthority
        do throws(CardAuthority.Damage) {
            authority = try CardAuthority(pem: SecretBytes(wiping: &bytes))
        } catch {
            throw InputError("\(path) has no authority's keys: \(error): give a path where there is no file yet")
        }
        guard profile.ellipticCurve != nil || authority.fits(profile.keySizes) else {
            throw InputError(
                "\(path): its RSA keys are not as long as the card's profile asks for (authorityBits, issuerBits, exponent): "
                    + "give a path where there is no file yet")
        }
        return authority
    }

    private static func make(_ path: String, _ profile: CardProfile) throws -> CardAuthority {
        let authority = try CardAuthority.generate(profile.keySizes)
        let isNew = try authority.pem.withArray { text throws(InputError) in try OutputFile.create(path, with: text) }
        // Another process was faster.
        return isNew ? authority : try load(path, for: profile)
    }
}
