import GRDB

extension VaultError {
    init(_ error: any Error, folder: String) {
        guard let error = error as? DatabaseError else {
            self = error as? VaultError ?? .damaged
            return
        }
        switch error.resultCode {
        case .SQLITE_FULL: self = .full
        case .SQLITE_CANTOPEN, .SQLITE_READONLY, .SQLITE_PERM:
            self = .unwritable(folder: folder, reason: "no access")
        default: self = .database(code: Int(error.extendedResultCode.rawValue))
        }
    }
}
