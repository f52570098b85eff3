import GRDB

extension StoreError {
    /// The error of a store; `store` has its kind and folder.
    init(_ error: any Error, store: String) {
        switch error {
        case let error as StoreError: self = error
        case let error as DatabaseError: self.init(error, store: store)
        // GRDB throws its own errors for columns that do not match the schema.
        default: self = .database(store: store, code: Int(ResultCode.SQLITE_CORRUPT.rawValue))
        }
    }

    private init(_ error: DatabaseError, store: String) {
        switch error.resultCode {
        case .SQLITE_FULL: self = .full(store: store)
        case .SQLITE_CANTOPEN, .SQLITE_READONLY, .SQLITE_PERM: self = .unwritable(store: store, because: .access)
        default: self = .database(store: store, code: Int(error.extendedResultCode.rawValue))
        }
    }
}
