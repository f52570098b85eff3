import GRDB

extension StoreError {
    /// The error of a store that is named by its kind and its folder.
    init(_ error: any Error, store: String) {
        switch error {
        case let error as StoreError: self = error
        case let error as DatabaseError: self.init(error, store: store)
        // GRDB throws errors of its own for columns that do not hold what the schema says.
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
