// What a shop needs, under one import: readers, the terminal, its journal, and gateways.
// tools/checks/api counts what it brings, and docs/public-api.md lists it.

@_exported public import Bytes
@_exported public import CardCapture
@_exported public import CardReaders
@_exported public import Contactless
@_exported public import EMVKernel
@_exported public import Kernels
@_exported public import PaymentTerminal
@_exported public import Receipts
@_exported public import TerminalFiles
@_exported public import TerminalJournal

@_exported public import struct CardCryptography.AESKey
@_exported public import struct CardCryptography.CAPublicKey
@_exported public import enum CardCryptography.CAPublicKeyFile
@_exported public import struct CardCryptography.CAPublicKeyFileError
@_exported public import struct CardCryptography.CertificateRevocation
@_exported public import enum CardCryptography.CipherError
@_exported public import struct CardCryptography.TDESKey
@_exported public import struct JSONDocument.DocumentError
@_exported public import struct SmartCard.DriverFailure
@_exported public import enum SmartCard.ReaderFailure

#if Gateways
    @_exported public import Gateways
#endif
