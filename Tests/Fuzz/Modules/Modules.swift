// The modules that are fuzzed, under one import, without the database and the HTTP client of the
// umbrellas.

@_exported public import BackOffice
@_exported public import Bytes
@_exported public import CardCapture
@_exported public import CardCryptography
@_exported public import CardInspection
@_exported public import CardProfiles
@_exported public import CardReaders
@_exported public import Contactless
@_exported public import DeviceIO
@_exported public import EMVExplanation
@_exported public import EMVKernel
@_exported public import EMVReplay
@_exported public import FormDocument
@_exported public import KernelDoubles
@_exported public import Kernels
@_exported public import MagneticStripe
@_exported public import PaymentTerminal
@_exported public import Peripherals
@_exported public import PrinterModels
@_exported public import Printing
@_exported public import SmartCard
@_exported public import TLV
@_exported public import TerminalFiles
@_exported public import TerminalMessages
@_exported public import TraceImport
@_exported public import VirtualCard
@_exported public import XMLDocument
