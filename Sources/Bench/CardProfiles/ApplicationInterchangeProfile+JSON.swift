import Bytes
import JSONDocument
import TLV

extension ApplicationInterchangeProfile: NamedBits {
    static let names: [(String, Self)] = [
        ("xda", .xdaSupported), ("sda", .sdaSupported), ("dda", .ddaSupported),
        ("cardholderVerification", .cardholderVerificationSupported),
        ("terminalRiskManagement", .terminalRiskManagement), ("issuerAuthentication", .issuerAuthenticationSupported),
        ("cda", .cdaSupported),
    ]
}

extension ApplicationUsageControl: NamedBits {
    static let names: [(String, Self)] = [
        ("domesticCash", .domesticCash), ("internationalCash", .internationalCash), ("domesticGoods", .domesticGoods),
        ("internationalGoods", .internationalGoods), ("domesticServices", .domesticServices),
        ("internationalServices", .internationalServices), ("atms", .atms),
        ("terminalsOtherThanATMs", .terminalsOtherThanATMs),
        ("domesticCashback", .domesticCashback), ("internationalCashback", .internationalCashback),
    ]
}
