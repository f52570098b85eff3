// What a shop needs, under one import: readers, the terminal, its journal, and gateways.

@_exported public import Bytes
@_exported public import CardCapture
@_exported public import CardCryptography
@_exported public import CardReaders
@_exported public import EMVKernel
@_exported public import Gateways
@_exported public import PaymentTerminal
@_exported public import TerminalJournal
