internal import JSONDocument

/// Why a value of a manifest, or of a file of a package, is refused.
enum SupplyFault: DocumentError.Reason {
    case noFile
    case nameTwice
    case notAPath
    case tableVersion
    case tableRecord
    case noRecord
    case settingTooLong
    case noCommand
    case notASetting
    case noProperty
}

extension SupplyFault {
    var description: String {
        switch self {
        case .noFile: "one file at least is required"
        case .nameTwice: "a name is listed twice"
        case .notAPath: "a path within the package is required"
        case .tableVersion: "ten characters of printable ASCII"
        case .tableRecord:
            "a record begins with its own length in three digits, and has at most 997 characters of printable ASCII"
        case .noRecord: "one record at least is required"
        case .settingTooLong: "the data is too long for a command"
        case .noCommand: "one command at least is required"
        case .notASetting: "a setting has an identifier like 1.2.7.1.1.1, in hexadecimal, that begins with 1"
        case .noProperty: "one property at least is required"
        }
    }
}
