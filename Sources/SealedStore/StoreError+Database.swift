import GRDB

extension StoreError {
    init(_ error: any Error, store: String) {
        guard let error = error as? DatabaseError else {
            self = error as? StoreError ?? .damaged
            return
        }
        switch error.resultCode {
        case .SQLITE_FULL: self = .full(store: store)
        case .SQLITE_CANTOPEN, .SQLITE_READONLY, .SQLITE_PERM:
            self = .unwritable(store: store, reason: "no access")
        default: self = .database(store: store, code: Int(error.extendedResultCode.rawValue))
        }
    }
}
