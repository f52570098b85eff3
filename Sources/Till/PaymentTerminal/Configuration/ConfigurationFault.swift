package import Bytes
package import CardCryptography
package import JSONDocument

/// Why a value of a terminal's configuration, or a file that it names, is refused.
package enum ConfigurationFault: DocumentError.Reason {
    // MARK: Files, by their path
    case notAFile(String)
    /// In bytes.
    case tooLarge(String, maximum: UInt64)
    case notUTF8(String)
    case unreadable(String)
    case notPrivate(String, PrivateFile.Failure)
    /// A document that the configuration names has a fault.
    case document(String, DocumentError)
    case caKeys(String, CAPublicKeyFileError)
    case logFolder(String, Terminal.PaymentLogFolder.Failure)
    case onlyInAFile

    // MARK: Exception files
    case notAnExceptionFile
    case otherExceptionKey
    case exceptionLine
    case tooManyExceptions
    case notAnExceptionKey(String)

    // MARK: Values
    case cardKindWithoutKey
    case keyIsNotATag
    case percentages
    case notASCII
    case currency
    case amount(MoneyError)
    case language
    case kernelWithoutSettings
    /// The name of the payment system.
    case notOfKernel(String)
    case slotWithoutOperator
    case notAnEnvelope
    case notATag
    case chipDecides
}

extension ConfigurationFault {
    package var description: String {
        switch self {
        case .notAFile(let path): "\(path) is not a file: give the path of a file"
        case .tooLarge(let path, let maximum):
            "\(path) is larger than \(maximum / 1024) KiB: give the path of another file"
        case .notUTF8(let path): "\(path) is not UTF-8: save it as UTF-8"
        case .unreadable(let path): "\(path) cannot be read: check the path and its permissions"
        case .notPrivate(let path, let failure): failure.text(path)
        case .document(let path, let error): error.description(of: path)
        case .caKeys(let path, let error): "\(path): \(error)"
        case .logFolder(let path, let failure): "\(path): \(failure)"
        case .onlyInAFile: "not supported in a text: load the file, or remove the key"
        case .notAnExceptionFile:
            "not an exception file: it begins with '\(ExceptionFile.format)' and 16 hexadecimal digits"
        case .otherExceptionKey: "the file was made with another key: give that key"
        case .exceptionLine: "64 hexadecimal digits are required, then nothing, or a space and two digits"
        case .tooManyExceptions: "more than \(ExceptionFile.maximumCount) cards: split the list by terminal"
        case .notAnExceptionKey(let path): "\(path): a key has 64 hexadecimal digits: openssl rand -hex 32 makes one"
        case .cardKindWithoutKey: "issuer, brand or aid is required"
        case .keyIsNotATag: "the key is a tag in hexadecimal, such as 9F1D"
        case .percentages: "maximumPercentage is at least targetPercentage"
        case .notASCII: "printable ASCII characters only"
        case .currency: "a currency of ISO 4217, such as EUR"
        case .amount(let error): "\(error)"
        case .language: "a language of ISO 639-1, such as en"
        case .kernelWithoutSettings: "not supported by UnionPay: leave it out"
        case .notOfKernel(let system): "not supported by \(system): leave it out"
        case .slotWithoutOperator: "a slot belongs to an operator: give \"operator\", too"
        case .notAnEnvelope: "a data envelope, tags 9F70 to 9F79"
        case .chipDecides: "a chip decides itself whether a payment waits for the host: leave it out"
        case .notATag: "a tag in hexadecimal, such as 9F75"
        }
    }
}
