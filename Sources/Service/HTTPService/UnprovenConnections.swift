package import NIOCore
import Synchronization

/// The connections that no request with valid credentials has come over, while they wait for one or
/// for the rest of one. They are limited in number, and the first head in time, so that clients
/// without credentials keep no other from being served.
package final class UnprovenConnections: Sendable {
    private struct Connection {
        let channel: any Channel
        let address: String
        /// Its place in the order in which they came.
        let number: Int
        var isWaiting = true
        var isProven = false
    }

    private struct State {
        var connections: [ObjectIdentifier: Connection] = [:]
        var count = 0

        /// The one to close if there are too many: of the address that has most of them, the
        /// oldest.
        func tooMuch(_ limit: Int) -> Connection? {
            let waiting = connections.values.filter { $0.isWaiting && !$0.isProven }
            guard waiting.count > limit else { return nil }
            let counts = Dictionary(grouping: waiting, by: \.address).mapValues(\.count)
            let most = counts.values.max()
            return waiting.filter { counts[$0.address] == most }.min { $0.number < $1.number }
        }
    }

    private let limit: Int
    private let time: TimeAmount
    private let state = Mutex(State())

    package init(limit: Int, time: Duration) {
        self.limit = limit
        self.time = TimeAmount(time)
    }

    private func opened(_ channel: any Channel) {
        state.withLock { state in
            state.count += 1
            state.connections[ObjectIdentifier(channel)] = Connection(
                channel: channel, address: channel.remoteAddress?.ipAddress ?? "", number: state.count)
        }
        wait(channel)
    }

    private func closed(_ channel: any Channel) { state.withLock { $0.connections[ObjectIdentifier(channel)] = nil } }

    /// The next request is due. Closes a connection if too many wait.
    package func wait(_ channel: any Channel) {
        let closing = state.withLock { state -> (any Channel)? in
            state.connections[ObjectIdentifier(channel)]?.isWaiting = true
            guard let connection = state.tooMuch(limit) else { return nil }
            state.connections[ObjectIdentifier(connection.channel)] = nil
            return connection.channel
        }
        closing?.close(promise: nil)
    }

    /// A whole request has come.
    package func serve(_ channel: any Channel) {
        state.withLock { $0.connections[ObjectIdentifier(channel)]?.isWaiting = false }
    }

    /// A request had valid credentials.
    package func prove(_ channel: any Channel) {
        state.withLock { $0.connections[ObjectIdentifier(channel)]?.isProven = true }
    }

    /// Watches one connection. It stands behind the decoder, where the first thing that comes in is
    /// the head of a request.
    package func handler() -> any RemovableChannelHandler { Watch(self) }

    /// Unchecked, because the server's configuration asks for it: SwiftNIO calls a handler on the
    /// event loop of its channel only.
    private final class Watch: ChannelInboundHandler, RemovableChannelHandler, @unchecked Sendable {
        typealias InboundIn = Any

        private let connections: UnprovenConnections
        private var timer: Scheduled<Void>?

        init(_ connections: UnprovenConnections) { self.connections = connections }

        /// With TLS it is added to an active channel, else to one that becomes active.
        func handlerAdded(context: ChannelHandlerContext) {
            if context.channel.isActive { start(context.channel) }
        }

        func channelActive(context: ChannelHandlerContext) {
            start(context.channel)
            context.fireChannelActive()
        }

        private func start(_ channel: any Channel) {
            guard timer == nil else { return }
            connections.opened(channel)
            channel.closeFuture.whenComplete { [connections] _ in connections.closed(channel) }
            timer = channel.eventLoop.scheduleTask(in: connections.time) { channel.close(promise: nil) }
        }

        func handlerRemoved(context: ChannelHandlerContext) { stopTimer() }

        func channelInactive(context: ChannelHandlerContext) {
            stopTimer()
            context.fireChannelInactive()
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            stopTimer()
            context.fireChannelRead(data)
        }

        private func stopTimer() {
            timer?.cancel()
            timer = nil
        }
    }
}
