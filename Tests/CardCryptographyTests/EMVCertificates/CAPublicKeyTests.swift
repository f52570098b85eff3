import CardCryptography
import Testing

@Suite struct CAPublicKeyTests {
    @Test func publishedCheckSumsFit() throws {
        let keys = try CATestKeys.all()
        #expect(keys.count == 7)
        for (key, checksum) in keys {
            #expect(key.hasChecksum(checksum))
            #expect(!CAPublicKey(rid: key.rid, index: key.index ^ 1, key: key.key).hasChecksum(checksum))
            #expect(!key.hasChecksum([]))
        }
    }

    @Test func expiresAfterItsLastDay() throws {
        let key = try CATestKeys.all()[0].key
        let last = try #require(CertificateDate(yymmdd: [0x25, 0x12, 0x31]))
        let dated = CAPublicKey(rid: key.rid, index: key.index, key: key.key, expiry: last)
        #expect(!dated.isExpired(on: last))
        #expect(try dated.isExpired(on: #require(CertificateDate(yymmdd: [0x26, 0x01, 0x01]))))
        #expect(!key.isExpired(on: last))
    }
}
