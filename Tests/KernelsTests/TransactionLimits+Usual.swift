import Contactless

extension TransactionLimits {
    /// 25.00 offline, verification from 50.00 on, taps below 250.01.
    static let usual = TransactionLimits(transactionLimit: 250_01, floorLimit: 25_00, cvmRequiredLimit: 50_00)
}
