import Bytes
import CardCryptography
import Testing

@Suite struct CertificateChecksTests {
    @Test func datesCompareByYearMonthDay() throws {
        let end = try #require(CertificateDate(endOfMonth: [0x02, 0x26]))
        #expect(try end > #require(CertificateDate(yymmdd: [0x26, 0x02, 0x28])))
        #expect(try end < #require(CertificateDate(yymmdd: [0x26, 0x03, 0x01])))
        #expect(CertificateDate(yymmdd: [0x49, 0x01, 0x01])?.year == 2049)
        #expect(CertificateDate(yymmdd: [0x50, 0x01, 0x01])?.year == 1950)
    }

    @Test(
        "Bytes that are not a month are refused",
        arguments: [[], [0x12], [0x13, 0x30], [0x00, 0x30], [0x1A, 0x30], [0x12, 0xFF], [0x12, 0x30, 0x01]] as [[UInt8]]
    )
    func noMonth(_ bytes: [UInt8]) {
        #expect(CertificateDate(endOfMonth: bytes) == nil)
    }

    @Test(
        "Bytes that are not a date are refused",
        arguments: [[], [0x26, 0x01], [0x26, 0x13, 0x01], [0x26, 0x01, 0x00], [0x26, 0x01, 0x32], [0xAA, 1, 1]]
            as [[UInt8]])
    func noDate(_ bytes: [UInt8]) {
        #expect(CertificateDate(yymmdd: bytes) == nil)
    }

    @Test func aCertificateIsVoidAfterItsMonth() throws {
        let issuer = try TestCard.contact().issuer
        #expect(try issuer.isExpired(on: #require(CertificateDate(year: 2100, month: 1, day: 1))))
        #expect(try !issuer.isExpired(on: #require(CertificateDate(endOfMonth: issuer.expiry))))
    }

    @Test("A certificate belongs to the PAN whose digits it has") func panMatching() throws {
        let (issuer, icc) = (try TestCard.contact().issuer, try TestCard.contact().icc)
        #expect(icc.matches(pan: icc.pan))
        #expect(try icc.matches(pan: hex("5413330089600044")))
        for wrong in [[], [0xFF], [0x54], [0xAA, 0xBB]] as [[UInt8]] {
            #expect(!icc.matches(pan: wrong))
            #expect(!issuer.matches(pan: wrong))
        }
        #expect(try !issuer.matches(pan: hex("4761340000000050")))
    }

    @Test("a revocation identifies the issuer certificate") func revocation() throws {
        let card = try TestCard.contact()
        let (issuer, ca) = (try card.issuer, try card.ca)
        let list: Set = try [
            CertificateRevocation(
                rid: hex("A000000004"), caKeyIndex: 0xEF, serialNumber: hex(card.expected.issuerSerialNumber))
        ]
        #expect(list.contains(CertificateRevocation(of: issuer, signedBy: ca)))
        #expect(!list.contains(CertificateRevocation(rid: ca.rid, caKeyIndex: 0xF1, serialNumber: issuer.serialNumber)))
    }
}
